import * as z from 'zod';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, observed, timeSchema } from '../schemas.ts';
import { ofAnyProject, readingSettings, SETTING_BASE, SETTING_BODY_BYTES, settingAdmins } from './setting-calls.ts';

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
  refused: observed(z.array(z.object({ path: z.string(), rule: z.string() })).optional()),
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

const writeQuery = z.strictObject({
  project: idSchema.optional(),
  /** What a refusal with `setting.locks_out` says in `people`: that this is meant. */
  confirm: z.coerce.number().int().min(0).optional(),
  ...dryRunQuery,
});
/** By the schema of the kind; any part of it may be a secret. */
const anyBody = z.record(z.string(), z.unknown()).meta({ secret: true });
const keyParams = z.strictObject({ key: z.string().max(64) });
const nameParams = z.strictObject({ key: z.string().max(64), name: z.string().max(128) });

const anyWrite = { tag: 'Settings', access: settingAdmins, project: 'query_or_all', query: writeQuery } as const;
const trying = {
  method: 'POST',
  audit: 'setting.test',
  rate: 'trial',
  query: ofAnyProject.query,
  bodyLimit: SETTING_BODY_BYTES,
  body: anyBody.optional(),
  status: 200,
  response: settingTrialSchema,
} as const;

export const settingRoutes = {
  kinds: defineRoute({
    ...readingSettings,
    ...ofAnyProject,
    id: 'listSettingKinds',
    path: `${SETTING_BASE}/documents`,
    summary: 'Which settings there are, with the schema of each',
    response: z.object({ items: z.array(kindSchema) }),
  }),
  get: defineRoute({
    ...readingSettings,
    ...ofAnyProject,
    id: 'getSetting',
    path: `${SETTING_BASE}/documents/:key`,
    summary: 'One settings document',
    params: keyParams,
    response: settingSchema,
  }),
  getNamed: defineRoute({
    ...readingSettings,
    ...ofAnyProject,
    id: 'getNamedSetting',
    path: `${SETTING_BASE}/documents/:key/:name`,
    summary: 'One settings document of many',
    params: nameParams,
    response: settingSchema,
  }),
  replace: defineRoute({
    ...anyWrite,
    id: 'replaceSetting',
    method: 'PUT',
    path: `${SETTING_BASE}/documents/:key`,
    summary: 'Replace a settings document; secrets that are left out stay',
    audit: 'setting.update',
    bodyLimit: SETTING_BODY_BYTES,
    params: keyParams,
    body: anyBody,
    writes: 'value',
    status: 200,
    response: settingSchema,
  }),
  replaceNamed: defineRoute({
    ...anyWrite,
    id: 'replaceNamedSetting',
    method: 'PUT',
    path: `${SETTING_BASE}/documents/:key/:name`,
    summary: 'Make or replace a settings document of many; secrets that are left out stay',
    makes: true,
    audit: 'setting.update',
    bodyLimit: SETTING_BODY_BYTES,
    params: nameParams,
    body: anyBody,
    writes: 'value',
    status: 200,
    response: settingSchema,
  }),
  patch: defineRoute({
    ...anyWrite,
    id: 'patchSetting',
    method: 'PATCH',
    path: `${SETTING_BASE}/documents/:key`,
    summary: 'Change parts of a settings document (JSON merge patch)',
    audit: 'setting.update',
    bodyLimit: SETTING_BODY_BYTES,
    params: keyParams,
    body: anyBody,
    writes: 'value',
    status: 200,
    response: settingSchema,
  }),
  patchNamed: defineRoute({
    ...anyWrite,
    id: 'patchNamedSetting',
    method: 'PATCH',
    path: `${SETTING_BASE}/documents/:key/:name`,
    summary: 'Change parts of a settings document of many (JSON merge patch)',
    audit: 'setting.update',
    bodyLimit: SETTING_BODY_BYTES,
    params: nameParams,
    body: anyBody,
    writes: 'value',
    status: 200,
    response: settingSchema,
  }),
  test: defineRoute({
    ...anyWrite,
    ...trying,
    id: 'testSetting',
    path: `${SETTING_BASE}/documents/:key/test`,
    summary: 'Try a settings document as it is sent, or as it is stored; secrets that are left out are the stored ones',
    params: keyParams,
  }),
  testNamed: defineRoute({
    ...anyWrite,
    ...trying,
    id: 'testNamedSetting',
    path: `${SETTING_BASE}/documents/:key/:name/test`,
    summary: 'Try a settings document of many as it is sent, or as it is stored',
    params: nameParams,
  }),
  reset: defineRoute({
    ...anyWrite,
    id: 'resetSetting',
    method: 'DELETE',
    path: `${SETTING_BASE}/documents/:key`,
    summary: 'Back to the defaults, without secrets',
    audit: 'setting.delete',
    params: keyParams,
    status: 204,
  }),
  deleteNamed: defineRoute({
    ...anyWrite,
    id: 'deleteNamedSetting',
    method: 'DELETE',
    path: `${SETTING_BASE}/documents/:key/:name`,
    summary: 'Delete a settings document of many',
    audit: 'setting.delete',
    params: nameParams,
    status: 204,
  }),
  revisions: defineRoute({
    ...readingSettings,
    ...ofAnyProject,
    id: 'listSettingRevisions',
    path: `${SETTING_BASE}/revisions/:key`,
    summary: 'The last 100 revisions of a settings document, newest first, without secrets',
    params: keyParams,
    response: z.object({ items: z.array(revisionSchema) }),
  }),
  revisionsOfNamed: defineRoute({
    ...readingSettings,
    ...ofAnyProject,
    id: 'listNamedSettingRevisions',
    path: `${SETTING_BASE}/revisions/:key/:name`,
    summary: 'The last 100 revisions of a settings document of many, newest first, without secrets',
    params: nameParams,
    response: z.object({ items: z.array(revisionSchema) }),
  }),
};
