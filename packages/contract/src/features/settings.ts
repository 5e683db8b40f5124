import { z } from 'zod';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, timeSchema } from '../schemas.ts';
import { API_DISCOVERY_SETTINGS } from '../settings/api-discovery.ts';
import { CLOUD_SETTINGS, cloudNameSchema } from '../settings/cloud.ts';
import type { SettingsType } from '../settings/define.ts';
import { SYSLOG_SETTINGS } from '../settings/forwarding.ts';
import { LDAP_SETTINGS } from '../settings/ldap.ts';

/** A secret that is set; how long it is or how it begins is not told. */
const privateSchema = z.object({ path: z.string(), set: z.literal(true), updated_at: timeSchema });

/** A settings document. One that was never written has the defaults, revision 0 and nobody who wrote it. */
export const settingSchema = z.object({
  key: z.string(),
  /** Empty where there is one of the kind. */
  name: z.string(),
  /** Null: of the installation. */
  project: idSchema.nullable(),
  /** Without its secrets. */
  value: z.record(z.string(), z.unknown()),
  private: z.array(privateSchema),
  revision: z.number().int(),
  updated_at: timeSchema.nullable(),
  updated_by: z.string().nullable(),
  /**
   * Of a document that is read: what of it this version does not take as it is stored. Until it is stored anew, what is strictest holds
   * for these fields; settings by which something is sent or by which people sign in are off.
   */
  refused: z.array(z.object({ path: z.string(), rule: z.string() })).optional(),
});
export type SettingView = z.infer<typeof settingSchema>;

const kindSchema = z.object({
  key: z.string(),
  title: z.string(),
  scope: z.enum(['installation', 'project']),
  /** Whether there may be many; then those there are. */
  named: z.boolean(),
  names: z.array(z.string()),
  /** Of what is written (JSON Schema, draft 2020-12). */
  json_schema: z.record(z.string(), z.unknown()),
  secret_paths: z.array(z.string()),
  may_write: z.boolean(),
  /** Whether `/test` can try one. */
  may_test: z.boolean(),
});

/** What came of trying a document: the steps in their order, up to the one that failed. */
export const settingTrialSchema = z.object({
  ok: z.boolean(),
  latency_ms: z.number().int(),
  /** Words for people; never of a secret. */
  steps: z.array(z.object({ name: z.string(), ok: z.boolean(), message: z.string().nullable() })),
});
export type SettingTrial = z.infer<typeof settingTrialSchema>;

const revisionSchema = settingSchema.pick({ value: true, private: true, revision: true }).extend({
  updated_at: timeSchema,
  updated_by: z.string(),
});

const admins = { kind: 'roles', roles: ADMINS } as const;
const owners = { kind: 'system_owner' } as const;
const readQuery = z.strictObject({ project: idSchema.optional() });
const writeQuery = z.strictObject({
  project: idSchema.optional(),
  /** What a refusal with `setting.locks_out` says in `people`: that this is meant. */
  confirm: z.coerce.number().int().min(0).optional(),
  ...dryRunQuery,
});
const projectQuery = z.strictObject({ project: idSchema });
const projectWriteQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
/** By the schema of the kind; any part of it may be a secret. */
const anyBody = z.record(z.string(), z.unknown()).meta({ secret: true });
const keyParams = z.strictObject({ key: z.string().max(64) });
const nameParams = z.strictObject({ key: z.string().max(64), name: z.string().max(128) });

const base = '/api/v3/setting';
const reading = { method: 'GET', tag: 'Settings', access: admins, audit: null, status: 200 } as const;
const anyProject = { project: 'query_or_all', query: readQuery } as const;
const anyWrite = { tag: 'Settings', access: admins, project: 'query_or_all', query: writeQuery } as const;
const SETTING_BODY_BYTES = 512 * 1024;
const trying = {
  method: 'POST',
  audit: 'setting.test',
  rate: 'trial',
  query: readQuery,
  bodyLimit: SETTING_BODY_BYTES,
  body: anyBody.optional(),
  status: 200,
  response: settingTrialSchema,
} as const;

/** The routes of one document of the installation at an address of its own. */
function singletonRoutes<S extends z.ZodObject>(type: SettingsType<S>, path: string, name: string) {
  const write = { tag: 'Settings', access: owners, project: 'none', query: z.strictObject(dryRunQuery) } as const;
  return {
    get: defineRoute({
      ...reading,
      ...(type.ownersOnly ? ({ access: owners, project: 'none' } as const) : anyProject),
      id: `get${name}`,
      path: `${base}/${path}`,
      summary: `The settings of ${type.title}`,
      response: settingSchema,
    }),
    replace: defineRoute({
      ...write,
      id: `replace${name}`,
      method: 'PUT',
      path: `${base}/${path}`,
      summary: `Replace the settings of ${type.title}`,
      audit: 'setting.update',
      bodyLimit: SETTING_BODY_BYTES,
      body: type.schema,
      status: 200,
      response: settingSchema,
    }),
    reset: defineRoute({
      ...write,
      id: `reset${name}`,
      method: 'DELETE',
      path: `${base}/${path}`,
      summary: `Back to the defaults of ${type.title}, without secrets`,
      audit: 'setting.delete',
      status: 204,
    }),
  };
}

const cloudParams = z.strictObject({ cloud_name: cloudNameSchema });
const cloudWrite = { tag: 'Settings', access: admins, project: 'query', query: projectWriteQuery } as const;

export const settingRoutes = {
  kinds: defineRoute({
    ...reading,
    ...anyProject,
    id: 'listSettingKinds',
    path: `${base}/documents`,
    summary: 'Which settings there are, with the schema of each',
    response: z.object({ items: z.array(kindSchema) }),
  }),
  get: defineRoute({
    ...reading,
    ...anyProject,
    id: 'getSetting',
    path: `${base}/documents/:key`,
    summary: 'One settings document',
    params: keyParams,
    response: settingSchema,
  }),
  getNamed: defineRoute({
    ...reading,
    ...anyProject,
    id: 'getNamedSetting',
    path: `${base}/documents/:key/:name`,
    summary: 'One settings document of many',
    params: nameParams,
    response: settingSchema,
  }),
  replace: defineRoute({
    ...anyWrite,
    id: 'replaceSetting',
    method: 'PUT',
    path: `${base}/documents/:key`,
    summary: 'Replace a settings document; secrets that are left out stay',
    audit: 'setting.update',
    bodyLimit: SETTING_BODY_BYTES,
    params: keyParams,
    body: anyBody,
    status: 200,
    response: settingSchema,
  }),
  replaceNamed: defineRoute({
    ...anyWrite,
    id: 'replaceNamedSetting',
    method: 'PUT',
    path: `${base}/documents/:key/:name`,
    summary: 'Make or replace a settings document of many; secrets that are left out stay',
    audit: 'setting.update',
    bodyLimit: SETTING_BODY_BYTES,
    params: nameParams,
    body: anyBody,
    status: 200,
    response: settingSchema,
  }),
  patch: defineRoute({
    ...anyWrite,
    id: 'patchSetting',
    method: 'PATCH',
    path: `${base}/documents/:key`,
    summary: 'Change parts of a settings document (JSON merge patch)',
    audit: 'setting.update',
    bodyLimit: SETTING_BODY_BYTES,
    params: keyParams,
    body: anyBody,
    status: 200,
    response: settingSchema,
  }),
  patchNamed: defineRoute({
    ...anyWrite,
    id: 'patchNamedSetting',
    method: 'PATCH',
    path: `${base}/documents/:key/:name`,
    summary: 'Change parts of a settings document of many (JSON merge patch)',
    audit: 'setting.update',
    bodyLimit: SETTING_BODY_BYTES,
    params: nameParams,
    body: anyBody,
    status: 200,
    response: settingSchema,
  }),
  test: defineRoute({
    ...anyWrite,
    ...trying,
    id: 'testSetting',
    path: `${base}/documents/:key/test`,
    summary: 'Try a settings document as it is sent, or as it is stored; secrets that are left out are the stored ones',
    params: keyParams,
  }),
  testNamed: defineRoute({
    ...anyWrite,
    ...trying,
    id: 'testNamedSetting',
    path: `${base}/documents/:key/:name/test`,
    summary: 'Try a settings document of many as it is sent, or as it is stored',
    params: nameParams,
  }),
  reset: defineRoute({
    ...anyWrite,
    id: 'resetSetting',
    method: 'DELETE',
    path: `${base}/documents/:key`,
    summary: 'Back to the defaults, without secrets',
    audit: 'setting.delete',
    params: keyParams,
    status: 204,
  }),
  deleteNamed: defineRoute({
    ...anyWrite,
    id: 'deleteNamedSetting',
    method: 'DELETE',
    path: `${base}/documents/:key/:name`,
    summary: 'Delete a settings document of many',
    audit: 'setting.delete',
    params: nameParams,
    status: 204,
  }),
  revisions: defineRoute({
    ...reading,
    ...anyProject,
    id: 'listSettingRevisions',
    path: `${base}/revisions/:key`,
    summary: 'The last 100 revisions of a settings document, newest first, without secrets',
    params: keyParams,
    response: z.object({ items: z.array(revisionSchema) }),
  }),
  revisionsOfNamed: defineRoute({
    ...reading,
    ...anyProject,
    id: 'listNamedSettingRevisions',
    path: `${base}/revisions/:key/:name`,
    summary: 'The last 100 revisions of a settings document of many, newest first, without secrets',
    params: nameParams,
    response: z.object({ items: z.array(revisionSchema) }),
  }),
};

export const ldapSettingRoutes = singletonRoutes(LDAP_SETTINGS, 'ldap-config', 'LdapConfig');
export const syslogSettingRoutes = {
  ...singletonRoutes(SYSLOG_SETTINGS, 'syslog-config', 'SyslogConfig'),
  test: defineRoute({
    id: 'testSyslogConfig',
    method: 'POST',
    path: `${base}/syslog-config/test`,
    summary: 'Send one test line by a configuration as it is sent, or as it is stored; 200 also where nobody takes it',
    tag: 'Settings',
    access: owners,
    project: 'none',
    audit: 'setting.test',
    rate: 'trial',
    bodyLimit: SETTING_BODY_BYTES,
    body: SYSLOG_SETTINGS.schema.optional(),
    status: 200,
    response: z.object({
      success: z.boolean(),
      latency_ms: z.number().int(),
      /** Words for people; never of a secret. */
      error: z.string().optional(),
    }),
  }),
};
export const apiDiscoverySettingRoutes = singletonRoutes(API_DISCOVERY_SETTINGS, 'api_discovery', 'ApiDiscovery');

export const cloudRoutes = {
  list: defineRoute({
    ...reading,
    project: 'query',
    id: 'listClouds',
    path: `${base}/clouds`,
    summary: 'The clouds of the project, without their secrets',
    query: projectQuery,
    response: listOf(settingSchema),
  }),
  get: defineRoute({
    ...reading,
    project: 'query',
    id: 'getCloud',
    path: `${base}/clouds/:cloud_name`,
    summary: 'One cloud, without its secret',
    params: cloudParams,
    query: projectQuery,
    response: settingSchema,
  }),
  create: defineRoute({
    ...cloudWrite,
    id: 'createCloud',
    method: 'POST',
    path: `${base}/clouds/:cloud_name`,
    summary: 'Add a cloud',
    audit: 'setting.create',
    params: cloudParams,
    body: CLOUD_SETTINGS.schema,
    status: 201,
    response: settingSchema,
  }),
  replace: defineRoute({
    ...cloudWrite,
    id: 'replaceCloud',
    method: 'PUT',
    path: `${base}/clouds/:cloud_name`,
    summary: 'Replace a cloud; its secret stays when it is left out',
    audit: 'setting.update',
    params: cloudParams,
    body: CLOUD_SETTINGS.schema,
    status: 200,
    response: settingSchema,
  }),
  delete: defineRoute({
    ...cloudWrite,
    id: 'deleteCloud',
    method: 'DELETE',
    path: `${base}/clouds/:cloud_name`,
    summary: 'Delete a cloud with its secret',
    audit: 'setting.delete',
    params: cloudParams,
    status: 204,
  }),
};
