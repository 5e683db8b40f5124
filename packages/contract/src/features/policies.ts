import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS, READERS } from '../roles.ts';
import { DOCUMENT_BODY_BYTES, defineRoute } from '../route.ts';
import {
  booleanQuerySchema,
  dryRunQuery,
  idSchema,
  listOf,
  listQuery,
  nameSchema,
  observed,
  repeatable,
  timeSchema,
} from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { POLICY_STATE_FILTERS } from './document-states.ts';
import { changeSchema, restoreSchema, revisionSummarySchema } from './documents.ts';

/** A relative path, as written in the policy. */
const filePath = z.string().min(1).max(256);

/**
 * A file in a write. A secret file (`hmac_secret_file`) may come without its content, as answers show it: the content that is
 * stored for this policy and path then stays.
 */
export const givenPolicyFileSchema = z.strictObject({
  path: filePath,
  content_base64: z.base64().optional(),
  /** Accepted because answers contain it. The policy alone decides what is secret. */
  secret: z.literal(true).optional(),
  bytes: z.number().optional(),
  updated_at: timeSchema.optional(),
});
export type GivenPolicyFile = z.infer<typeof givenPolicyFileSchema>;

/** A file in an answer. The content of a secret file is never included. */
export const policyFileSchema = z.union([
  z.strictObject({ path: filePath, content_base64: z.base64() }),
  z.strictObject({
    path: filePath,
    secret: z.literal(true),
    /** Size of the content. */
    bytes: z.number().int(),
    /** When this content was written. */
    updated_at: timeSchema,
  }),
]);
export type PolicyFileView = z.infer<typeof policyFileSchema>;

const content = {
  description: z.string().max(4096).nullable().optional(),
  /** The policy as YAML or JSON text. It is stored unchanged, including comments, except for raw keys. */
  text: z.string().optional(),
  /** The policy as an object, instead of `text`. */
  document: z.record(z.string(), z.unknown()).optional(),
  /** Files that the policy names; they are part of its digest. Secrets that are left out stay while the policy names them. */
  files: z.array(givenPolicyFileSchema).max(64).optional(),
};

/** A probable mistake (an unreachable route, a field without effect) that does not stop the policy. */
export const policyWarningSchema = z.object({
  file: z.string(),
  /** 1-based, like `column`. */
  line: z.number().int(),
  column: z.number().int(),
  /** JSON path of the field; empty for the file as a whole. */
  field: z.string(),
  /** Stable name of the check. */
  rule: z.string(),
  message: z.string(),
});
export type PolicyWarning = z.infer<typeof policyWarningSchema>;

export const createPolicySchema = z.strictObject({ name: nameSchema, project: idSchema.optional(), ...content });
export const replacePolicySchema = z.strictObject({
  name: nameSchema.optional(),
  project: idSchema.optional(),
  ...content,
});
export const patchPolicySchema = z.strictObject(content);

export const policySummarySchema = z.object({
  id: idSchema,
  name: z.string(),
  project: idSchema,
  description: z.string().nullable(),
  /** SHA-256 over the policy and its files: the digest that a filter reports if it runs only this policy. */
  digest: z.string(),
  hosts: z.array(z.string()),
  revision: z.number().int(),
  created_at: timeSchema,
  updated_at: timeSchema,
  updated_by: z.string(),
  /** Services that name it, by name; in answers to reads and writes of policies and in their list. */
  services: observed(z.array(z.object({ id: idSchema, name: z.string() })).optional()),
});
export type PolicySummary = z.infer<typeof policySummarySchema>;

export const policySchema = policySummarySchema.extend({
  text: z.string(),
  files: z.array(policyFileSchema),
  /** In answers to writes: the number of raw keys that were replaced by their digests. */
  replaced_keys: observed(z.number().int().optional()),
  /** About the policy alone; in answers to reads, writes and dry runs of one policy. */
  warnings: observed(z.array(policyWarningSchema).optional()),
  /** In answers to dry runs. */
  diff: observed(z.array(changeSchema).optional()),
});
export type Policy = z.infer<typeof policySchema>;

const item = z.strictObject({ name: nameSchema });
const query = z.strictObject({ project: idSchema });
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const read = { kind: 'roles', roles: READERS } as const;
const admins = { kind: 'roles', roles: ADMINS } as const;
const shared = { tag: 'Policies', family: 'policies', project: 'query', bodyLimit: DOCUMENT_BODY_BYTES } as const;
const ITEM = '/api/v3/shield/policies/:name';

export const policyRoutes = {
  list: defineRoute({
    ...shared,
    id: 'listPolicies',
    method: 'GET',
    path: '/api/v3/shield/policies',
    summary: 'List security policies',
    access: read,
    audit: null,
    query: z.strictObject({
      ...listQuery,
      name: repeatable(z.string()).optional(),
      state: repeatable(z.enum(POLICY_STATE_FILTERS)).optional().describe('`unused`: no service names the policy'),
      with_total: booleanQuerySchema.optional(),
    }),
    status: 200,
    response: listOf(policySummarySchema),
  }),
  create: defineRoute({
    ...shared,
    id: 'createPolicy',
    method: 'POST',
    path: '/api/v3/shield/policies',
    summary: 'Create a security policy',
    access: admins,
    audit: 'policy.create',
    query: writeQuery,
    body: createPolicySchema,
    status: 201,
    response: policySchema,
  }),
  get: defineRoute({
    ...shared,
    id: 'getPolicy',
    method: 'GET',
    path: ITEM,
    summary: 'Read a security policy',
    access: read,
    audit: null,
    needs: { kind: 'policy', level: 'view', param: 'name', by: 'name' },
    params: item,
    query,
    status: 200,
    response: policySchema,
  }),
  replace: defineRoute({
    ...shared,
    id: 'replacePolicy',
    method: 'PUT',
    path: ITEM,
    summary: 'Replace a security policy',
    access: admins,
    audit: 'policy.replace',
    needs: { kind: 'policy', level: 'change', param: 'name', by: 'name' },
    params: item,
    query: writeQuery,
    body: replacePolicySchema,
    status: 200,
    response: policySchema,
  }),
  patch: defineRoute({
    ...shared,
    id: 'patchPolicy',
    method: 'PATCH',
    path: ITEM,
    summary: 'Change the description, text or files of a security policy',
    access: admins,
    audit: 'policy.patch',
    needs: { kind: 'policy', level: 'change', param: 'name', by: 'name' },
    params: item,
    query: writeQuery,
    body: patchPolicySchema,
    status: 200,
    response: policySchema,
  }),
  remove: defineRoute({
    ...shared,
    id: 'deletePolicy',
    method: 'DELETE',
    path: ITEM,
    summary: 'Delete a security policy that no service uses',
    access: admins,
    audit: 'policy.delete',
    needs: { kind: 'policy', level: 'change', param: 'name', by: 'name' },
    params: item,
    query: writeQuery,
    status: 204,
  }),
  listRevisions: defineRoute({
    ...shared,
    id: 'listPolicyRevisions',
    method: 'GET',
    path: `${ITEM}/revisions`,
    summary: 'List the history of a policy, newest first',
    access: read,
    audit: null,
    needs: { kind: 'policy', level: 'view', param: 'name', by: 'name' },
    params: item,
    query: z.strictObject({ project: idSchema, limit: listQuery.limit, cursor: listQuery.cursor }),
    status: 200,
    response: listOf(revisionSummarySchema.extend({ digest: z.string() })),
  }),
  getRevision: defineRoute({
    ...shared,
    id: 'getPolicyRevision',
    method: 'GET',
    path: `${ITEM}/revisions/:revision`,
    summary: 'Read an earlier revision of a policy',
    access: read,
    audit: null,
    needs: { kind: 'policy', level: 'view', param: 'name', by: 'name' },
    params: z.strictObject({ name: nameSchema, revision: z.coerce.number().int().min(1) }),
    query,
    status: 200,
    response: revisionSummarySchema.extend({
      description: z.string().nullable(),
      digest: z.string(),
      text: z.string(),
      files: z.array(policyFileSchema),
    }),
  }),
  restore: defineRoute({
    ...shared,
    id: 'restorePolicy',
    method: 'POST',
    path: `${ITEM}/restore`,
    summary: 'Restore an earlier revision of a policy as the newest one',
    access: admins,
    audit: 'policy.restore',
    needs: { kind: 'policy', level: 'change', param: 'name', by: 'name' },
    params: item,
    query: writeQuery,
    body: restoreSchema,
    status: 200,
    response: policySchema,
  }),
};

export const policiesTopics = [defineTopic('policy', 'members', { name: z.string().optional() })] as const;

export const policiesAuditWords = defineAuditWords({
  actions: {
    'policy.patch': 'change part of policy',
  },
});
