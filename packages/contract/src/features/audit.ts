import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';

export const AUDIT_OUTCOMES = ['done', 'denied', 'failed'] as const;

export const auditEntrySchema = z.object({
  id: idSchema,
  at: timeSchema,
  /** Null: the entry concerns no project. */
  project: idSchema.nullable(),
  actor: z.object({
    /** `client`: an agent, identified by its certificate. */
    kind: z.enum(['user', 'token', 'anonymous', 'client', 'system']),
    id: z.string().nullable(),
    name: z.string().nullable(),
    /** Role in the project at that time. */
    role: z.string().nullable(),
  }),
  action: z.string(),
  resource: z.object({ type: z.string().nullable(), id: z.string().nullable(), name: z.string().nullable() }),
  outcome: z.enum(AUDIT_OUTCOMES),
  status: z.number().int(),
  error_code: z.string().nullable(),
  request: z.object({
    id: z.string().nullable(),
    method: z.string().nullable(),
    path: z.string().nullable(),
    client_ip: z.string().nullable(),
    user_agent: z.string().nullable(),
  }),
  /** The changes without secrets; their shape depends on the action. */
  changes: z.unknown(),
});
export type AuditEntryView = z.infer<typeof auditEntrySchema>;

const text = z.string().min(1).max(256);

/** Each filter may be repeated and then matches any of its values. */
export const auditFilters = {
  project: idSchema.optional(),
  user: repeatable(text).optional(),
  action: repeatable(text).optional(),
  resource_type: repeatable(text).optional(),
  resource_id: repeatable(text).optional(),
  outcome: repeatable(z.enum(AUDIT_OUTCOMES)).optional(),
  /** From is inclusive, to is exclusive. */
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  q: z.string().max(256).optional(),
  user_id: repeatable(text).optional(),
  /** Part of the actor's name, without regard to case. */
  username: text.optional(),
  /** Replaces `outcome`. True: done; false: denied or failed. */
  success: booleanQuerySchema.optional(),
  /** Aliases of `from` and `to`. */
  start_time: timeSchema.optional(),
  end_time: timeSchema.optional(),
};

const admins = {
  access: { kind: 'roles', roles: ADMINS },
  project: 'query_or_all',
  tag: 'Audit',
  family: 'audit',
  audit: null,
} as const;
/** Number of entries by name: the twenty most frequent, most frequent first. */
const countsSchema = z.record(z.string(), z.number().int());

/** The first defect of a chain. */
const firstBadSchema = z.object({
  /**
   * edited             an entry differs from what was sealed
   * missing            an entry or its link is gone
   * moved              an entry is at another position of the chain than the one it was sealed at
   * cut                the chain is shorter than what was signed
   * rewritten          the links fit each other, but not what was signed
   * forged_checkpoint  a signature does not fit its key
   * unknown_key        a checkpoint was signed by a key that this controller has no reason to trust
   * unsealed           an entry is in no chain: somebody inserted it, or sealing has stopped
   */
  kind: z.enum(['edited', 'missing', 'moved', 'cut', 'rewritten', 'forged_checkpoint', 'unknown_key', 'unsealed']),
  /** Position in the chain. */
  seq: z.number().int().nullable(),
  entry_id: idSchema.nullable(),
  at: z.iso.datetime().nullable(),
  message: z.string(),
});

export const auditVerdictSchema = z.object({
  /** Null: the chain of entries without a project. */
  project: idSchema.nullable(),
  ok: z.boolean(),
  /** Number of entries that were recomputed, up to the first bad one. */
  checked: z.number().int(),
  sealed_to: z.object({ seq: z.number().int(), hash: z.string() }).nullable(),
  unsealed: z.number().int(),
  oldest_unsealed_at: timeSchema.nullable(),
  first_bad: firstBadSchema.nullable(),
  checkpoints: z.number().int(),
  /** The part that retention deleted: the chain begins after `seq`, as signed at that time. Null: nothing was deleted. */
  pruned: z.object({ seq: z.number().int(), entries: z.number().int(), at: timeSchema }).nullable(),
  /** Keys that signed it: first 16 hex digits of the SHA-256 of each public key. */
  key_ids: z.array(z.string()),
});
export type AuditVerdict = z.infer<typeof auditVerdictSchema>;

export const auditRoutes = {
  list: defineRoute({
    id: 'listAuditLog',
    method: 'GET',
    path: '/api/v3/audit/logs',
    summary: 'List audit entries, newest first; owners of the installation who name no project get all projects',
    ...admins,
    query: z.strictObject({ limit: listQuery.limit, cursor: listQuery.cursor, sort: listQuery.sort, ...auditFilters }),
    status: 200,
    response: listOf(auditEntrySchema).extend({
      /**
       * How far back the search has looked, if it has a search text of fewer than three letters or matches too many entries to
       * sort. Older matches follow by `next_cursor`, even if this page is empty. Null: the search is complete.
       */
      searched_to: timeSchema.nullable(),
    }),
  }),
  get: defineRoute({
    id: 'getAuditEntry',
    method: 'GET',
    path: '/api/v3/audit/logs/:entry_id',
    summary: 'Read an audit entry',
    ...admins,
    params: z.strictObject({ entry_id: idSchema }),
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: auditEntrySchema,
  }),
  stats: defineRoute({
    id: 'getAuditStats',
    method: 'GET',
    path: '/api/v3/audit/stats',
    summary: 'Count audit entries by outcome, user and kind of resource',
    ...admins,
    query: z.strictObject(auditFilters),
    status: 200,
    response: z.object({
      total_entries: z.number().int(),
      outcomes: z.object({ done: z.number().int(), denied: z.number().int(), failed: z.number().int() }),
      /** Shares of all entries, 0 to 1. Null if there are no entries. */
      success_rate: z.number().nullable(),
      error_rate: z.number().nullable(),
      top_actions: countsSchema,
      top_users: countsSchema,
      /** Kinds of resources. */
      top_resources: countsSchema,
    }),
  }),
  export: defineRoute({
    id: 'exportAuditLog',
    method: 'GET',
    path: '/api/v3/audit/export',
    summary:
      'Export all audit entries that match the filters, newest first, one per line; the export is recorded before it begins',
    ...admins,
    audit: 'audit.export',
    rate: 'command',
    query: z.strictObject({
      /** NDJSON by default: one list item per line. In CSV, a cell that a spreadsheet would execute begins with an apostrophe. */
      format: z.enum(['ndjson', 'csv']).optional(),
      ...auditFilters,
    }),
    status: 200,
    response: auditEntrySchema,
    media: 'application/x-ndjson',
  }),
  verify: defineRoute({
    id: 'verifyAuditLog',
    method: 'GET',
    path: '/api/v3/audit/verify',
    summary: 'Verify the audit log: recompute every entry and link, and compare them with the signed checkpoints',
    ...admins,
    rate: 'command',
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: z.object({
      ok: z.boolean(),
      /** One for each chain: that of the project; or those of all projects and the one for entries without a project. */
      items: z.array(auditVerdictSchema),
    }),
  }),
};

export const auditTopics = [defineTopic('audit', 'admins', {})] as const;

export const auditAuditWords = defineAuditWords({
  actions: {
    'audit.export': 'export the audit log',
    'audit.prune': 'prune old audit entries',
  },
});
