import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';

export const AUDIT_OUTCOMES = ['done', 'denied', 'failed'] as const;

export const auditEntrySchema = z.object({
  id: idSchema,
  at: timeSchema,
  /** Null where it concerns no project. */
  project: idSchema.nullable(),
  actor: z.object({
    /** `client`: an agent, known by its certificate. */
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
  /** What changed, without secrets; its shape depends on the action. */
  changes: z.unknown(),
});
export type AuditEntryView = z.infer<typeof auditEntrySchema>;

const text = z.string().min(1).max(256);

/** Each filter may be repeated: entries that match one of its values. */
export const auditFilters = {
  project: idSchema.optional(),
  /** Id or name of the actor. */
  user: repeatable(text).optional(),
  action: repeatable(text).optional(),
  resource_type: repeatable(text).optional(),
  resource_id: repeatable(text).optional(),
  outcome: repeatable(z.enum(AUDIT_OUTCOMES)).optional(),
  /** From this time on, and before that one. */
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  q: z.string().max(256).optional(),
  user_id: repeatable(text).optional(),
  /** Within the actor's name, in any case of letters. */
  username: text.optional(),
  /** True: outcome done; false: denied or failed. Instead of `outcome`. */
  success: booleanQuerySchema.optional(),
  /** Other names of `from` and `to`; instead of them. */
  start_time: timeSchema.optional(),
  end_time: timeSchema.optional(),
};

const admins = {
  access: { kind: 'roles', roles: ADMINS },
  project: 'query_or_all',
  tag: 'Audit',
  audit: null,
} as const;
/** How many entries, by name; the twenty most frequent, most frequent first. */
const countsSchema = z.record(z.string(), z.number().int());

/** What is wrong with a chain, where it begins to be. */
const firstBadSchema = z.object({
  /**
   * edited             an entry is not what was sealed
   * missing            an entry or its link is gone
   * moved              an entry lies at another place of the chain than the one it was sealed at
   * cut                the chain is shorter than what was signed
   * rewritten          the links fit each other, but not what was signed
   * forged_checkpoint  a signature does not fit its key
   * unknown_key        a checkpoint was signed by a key that this controller has no reason to trust
   * unsealed           an entry is in no chain: it was slipped in, or nobody seals
   */
  kind: z.enum(['edited', 'missing', 'moved', 'cut', 'rewritten', 'forged_checkpoint', 'unknown_key', 'unsealed']),
  /** Number in the chain. */
  seq: z.number().int().nullable(),
  entry_id: idSchema.nullable(),
  at: z.iso.datetime().nullable(),
  message: z.string(),
});

export const auditVerdictSchema = z.object({
  /** Null: the chain of what concerns no project. */
  project: idSchema.nullable(),
  ok: z.boolean(),
  /** Entries that were recomputed; up to the first bad one. */
  checked: z.number().int(),
  sealed_to: z.object({ seq: z.number().int(), hash: z.string() }).nullable(),
  unsealed: z.number().int(),
  oldest_unsealed_at: timeSchema.nullable(),
  first_bad: firstBadSchema.nullable(),
  checkpoints: z.number().int(),
  /** What was pruned of the chain by retention: it begins after this number, as signed at that time. Null: nothing. */
  pruned: z.object({ seq: z.number().int(), entries: z.number().int(), at: timeSchema }).nullable(),
  /** Whose signatures there are: first 16 hex digits of the SHA-256 of each public key. */
  key_ids: z.array(z.string()),
});
export type AuditVerdict = z.infer<typeof auditVerdictSchema>;

export const auditRoutes = {
  list: defineRoute({
    id: 'listAuditLog',
    method: 'GET',
    path: '/api/v3/audit/logs',
    summary: 'The audit log, newest first; all projects for owners of the installation who name none',
    ...admins,
    query: z.strictObject({ limit: listQuery.limit, cursor: listQuery.cursor, sort: listQuery.sort, ...auditFilters }),
    status: 200,
    response: listOf(auditEntrySchema).extend({
      /**
       * Of a search for fewer than three letters, or for what matches too often to be sorted: up to which time it has looked through entries, in their order; those
       * after it come by `next_cursor`, also where this page has none. Null: nothing was left out.
       */
      searched_to: timeSchema.nullable(),
    }),
  }),
  get: defineRoute({
    id: 'getAuditEntry',
    method: 'GET',
    path: '/api/v3/audit/logs/:entry_id',
    summary: 'One entry of the audit log',
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
    summary: 'How much was done, denied and failed, by whom and on what',
    ...admins,
    query: z.strictObject(auditFilters),
    status: 200,
    response: z.object({
      total_entries: z.number().int(),
      outcomes: z.object({ done: z.number().int(), denied: z.number().int(), failed: z.number().int() }),
      /** Of all entries, those that are done, and those that are not: 0 to 1. Null where there are none. */
      success_rate: z.number().nullable(),
      error_rate: z.number().nullable(),
      top_actions: countsSchema,
      top_users: countsSchema,
      /** Kinds of them. */
      top_resources: countsSchema,
    }),
  }),
  export: defineRoute({
    id: 'exportAuditLog',
    method: 'GET',
    path: '/api/v3/audit/export',
    summary: 'All entries that the filters leave, newest first, one on each line; itself recorded before it begins',
    ...admins,
    audit: 'audit.export',
    rate: 'command',
    query: z.strictObject({
      /** NDJSON unless told: lines as the list has its items. CSV: cells that a spreadsheet would run begin with an apostrophe. */
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
    summary:
      'Whether the record is as it was written: every entry and link recomputed, and held against what was signed',
    ...admins,
    rate: 'command',
    query: z.strictObject({ project: idSchema.optional() }),
    status: 200,
    response: z.object({
      ok: z.boolean(),
      /** One for each chain: of the project, or of all projects and of what concerns none. */
      items: z.array(auditVerdictSchema),
    }),
  }),
};
