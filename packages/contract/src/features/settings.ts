import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { defineRoute, LIST_BODY_BYTES } from '../route.ts';
import { dryRunQuery, idSchema, observed, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { ofAnyProject, readingSettings, SETTING_BASE, settingAdmins } from './setting-calls.ts';

/** A secret that is set; its length and its beginning stay unknown. */
const privateSchema = z.object({ path: z.string(), set: z.literal(true), updated_at: timeSchema });

/** A settings document. One that was never written has the defaults, revision 0 and no author. */
export const settingSchema = z.object({
  key: z.string(),
  /** Empty if the kind has only one document. */
  name: z.string(),
  /** Null: of the installation. A project without its own document reads the installation's, and may replace it. */
  project: idSchema.nullable(),
  /** Without its secrets. */
  value: z.record(z.string(), z.unknown()),
  private: z.array(privateSchema),
  revision: z.number().int(),
  updated_at: timeSchema.nullable(),
  updated_by: z.string().nullable(),
  /**
   * In answers to reads: stored values that this version refuses. Until the document is written again, the strictest value
   * applies to these fields; settings for sending something or for signing people in are off.
   */
  refused: observed(z.array(z.object({ path: z.string(), rule: z.string() })).optional()),
});
export type SettingView = z.infer<typeof settingSchema>;

const kindSchema = z.object({
  key: z.string(),
  title: z.string(),
  scope: z.enum(['installation', 'project']),
  /** Whether a project may replace the installation's document by its own. */
  per_project: z.boolean(),
  /** Whether the kind has many documents; `names` lists them. */
  named: z.boolean(),
  names: z.array(z.string()),
  /** Schema of the document in a write (JSON Schema, draft 2020-12). */
  json_schema: z.record(z.string(), z.unknown()),
  secret_paths: z.array(z.string()),
  may_write: z.boolean(),
  /** Whether `/test` supports the kind. */
  may_test: z.boolean(),
});

/** The result of a test: the steps in order, up to the one that failed. */
export const settingTrialSchema = z.object({
  ok: z.boolean(),
  latency_ms: z.number().int(),
  /** Messages are for people and never contain a secret. */
  steps: z.array(z.object({ name: z.string(), ok: z.boolean(), message: z.string().nullable() })),
});
export type SettingTrial = z.infer<typeof settingTrialSchema>;

const revisionSchema = settingSchema.pick({ value: true, private: true, revision: true }).extend({
  updated_at: timeSchema,
  updated_by: z.string(),
});

const writeQuery = z.strictObject({
  project: idSchema.optional(),
  /** Confirms the number `people` of a refusal with `setting.locks_out`. */
  confirm: z.coerce.number().int().min(0).optional(),
  ...dryRunQuery,
});
/** The schema depends on the kind; any part of it may be a secret. */
const anyBody = z.record(z.string(), z.unknown()).meta({ secret: true });
const keyParams = z.strictObject({ key: z.string().max(64) });
const nameParams = z.strictObject({ key: z.string().max(64), name: z.string().max(128) });

const anyWrite = {
  tag: 'Settings',
  family: 'settings',
  access: settingAdmins,
  project: 'query_or_all',
  query: writeQuery,
} as const;
const trying = {
  method: 'POST',
  audit: 'setting.test',
  rate: 'trial',
  query: ofAnyProject.query,
  bodyLimit: LIST_BODY_BYTES,
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
    summary: 'List the kinds of settings, with the schema of each',
    response: z.object({ items: z.array(kindSchema) }),
  }),
  get: defineRoute({
    ...readingSettings,
    ...ofAnyProject,
    id: 'getSetting',
    path: `${SETTING_BASE}/documents/:key`,
    summary: 'Read a settings document',
    params: keyParams,
    response: settingSchema,
  }),
  getNamed: defineRoute({
    ...readingSettings,
    ...ofAnyProject,
    id: 'getNamedSetting',
    path: `${SETTING_BASE}/documents/:key/:name`,
    summary: 'Read a named settings document',
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
    bodyLimit: LIST_BODY_BYTES,
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
    summary: 'Create or replace a named settings document; secrets that are left out stay',
    makes: true,
    audit: 'setting.update',
    bodyLimit: LIST_BODY_BYTES,
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
    bodyLimit: LIST_BODY_BYTES,
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
    summary: 'Change parts of a named settings document (JSON merge patch)',
    audit: 'setting.update',
    bodyLimit: LIST_BODY_BYTES,
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
    summary: 'Test a settings document from the body or the stored one; secrets that are left out are the stored ones',
    params: keyParams,
  }),
  testNamed: defineRoute({
    ...anyWrite,
    ...trying,
    id: 'testNamedSetting',
    path: `${SETTING_BASE}/documents/:key/:name/test`,
    summary: 'Test a named settings document from the body or the stored one',
    params: nameParams,
  }),
  reset: defineRoute({
    ...anyWrite,
    id: 'resetSetting',
    method: 'DELETE',
    path: `${SETTING_BASE}/documents/:key`,
    summary: 'Reset a settings document to the defaults and delete its secrets',
    audit: 'setting.delete',
    params: keyParams,
    status: 204,
  }),
  deleteNamed: defineRoute({
    ...anyWrite,
    id: 'deleteNamedSetting',
    method: 'DELETE',
    path: `${SETTING_BASE}/documents/:key/:name`,
    summary: 'Delete a named settings document',
    audit: 'setting.delete',
    params: nameParams,
    status: 204,
  }),
  revisions: defineRoute({
    ...readingSettings,
    ...ofAnyProject,
    id: 'listSettingRevisions',
    path: `${SETTING_BASE}/revisions/:key`,
    summary: 'List the last 100 revisions of a settings document, newest first, without secrets',
    params: keyParams,
    response: z.object({ items: z.array(revisionSchema) }),
  }),
  revisionsOfNamed: defineRoute({
    ...readingSettings,
    ...ofAnyProject,
    id: 'listNamedSettingRevisions',
    path: `${SETTING_BASE}/revisions/:key/:name`,
    summary: 'List the last 100 revisions of a named settings document, newest first, without secrets',
    params: nameParams,
    response: z.object({ items: z.array(revisionSchema) }),
  }),
};

export const settingsTopics = [
  /** A settings document; only owners of the installation get those of the installation. */
  defineTopic('setting', 'admins', { key: z.string().optional(), name: z.string().optional() }),
] as const;

export const settingsAuditWords = defineAuditWords({
  actions: {
    'setting.delete': 'reset setting',
    'setting.test': 'test setting',
  },
});
