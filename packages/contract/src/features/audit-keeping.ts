import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, timeSchema } from '../schemas.ts';

export const auditHoldSchema = z.object({
  id: idSchema,
  /** Null: entries of all projects, and those without a project. */
  project: idSchema.nullable(),
  /** From is inclusive, to is exclusive. Null: no bound at that end. */
  from: timeSchema.nullable(),
  to: timeSchema.nullable(),
  reason: z.string(),
  created_by: z.string(),
  created_at: timeSchema,
  released_by: z.string().nullable(),
  released_at: timeSchema.nullable(),
});
export type AuditHold = z.infer<typeof auditHoldSchema>;

export const AUDIT_SINKS = ['syslog', 'webhook'] as const;
export type AuditSinkName = (typeof AUDIT_SINKS)[number];

export const auditSinkSchema = z.object({
  name: z.enum(AUDIT_SINKS),
  /**
   * off      not enabled in the settings; what it missed is sent when it is enabled again
   * working  accepts what is delivered
   * failing  retried with growing delays of up to five minutes
   */
  state: z.enum(['off', 'working', 'failing']),
  /** Sequence number of the last delivered entry, in the order of sealing over all projects. Null: nothing was delivered yet. */
  position: z.number().int().nullable(),
  /** Number of sealed entries that are not delivered yet. */
  lag_entries: z.number().int(),
  lag_seconds: z.number(),
  delivered_at: timeSchema.nullable(),
  failing_since: timeSchema.nullable(),
  /** Why the last attempt failed; null while it works. */
  last_error: z.string().nullable(),
});
export type AuditSink = z.infer<typeof auditSinkSchema>;

const owners = { access: { kind: 'system_owner' }, project: 'none', tag: 'Audit', family: 'audit' } as const;

/** Retention and forwarding of the audit log, for owners of the installation. */
export const auditKeepingRoutes = {
  listHolds: defineRoute({
    id: 'listAuditHolds',
    method: 'GET',
    path: '/api/v3/audit/holds',
    summary: 'List the holds that keep audit entries from being deleted; active ones first',
    ...owners,
    audit: null,
    status: 200,
    response: listOf(auditHoldSchema),
  }),
  getHold: defineRoute({
    id: 'getAuditHold',
    method: 'GET',
    path: '/api/v3/audit/holds/:hold_id',
    summary: 'Read a hold, even after its release',
    ...owners,
    audit: null,
    params: z.strictObject({ hold_id: idSchema }),
    status: 200,
    response: auditHoldSchema,
  }),
  createHold: defineRoute({
    id: 'createAuditHold',
    method: 'POST',
    path: '/api/v3/audit/holds',
    summary: 'Keep audit entries of a project, a time or both from being deleted until the hold is released',
    ...owners,
    audit: 'audit_hold.create',
    query: z.strictObject(dryRunQuery),
    body: z
      .strictObject({
        project: idSchema.nullable().optional(),
        from: timeSchema.nullable().optional(),
        to: timeSchema.nullable().optional(),
        reason: z.string().trim().min(1).max(512),
      })
      .refine(({ from, to }) => !from || !to || from < to, { path: ['to'], message: 'must be after from' }),
    status: 201,
    response: auditHoldSchema,
  }),
  releaseHold: defineRoute({
    id: 'releaseAuditHold',
    method: 'POST',
    path: '/api/v3/audit/holds/:hold_id/release',
    summary: 'Release a hold; it stays listed',
    ...owners,
    audit: 'audit_hold.release',
    params: z.strictObject({ hold_id: idSchema }),
    query: z.strictObject(dryRunQuery),
    status: 200,
    response: auditHoldSchema,
  }),
  listSinks: defineRoute({
    id: 'listAuditSinks',
    method: 'GET',
    path: '/api/v3/audit/sinks',
    summary: 'Show where the audit log is forwarded to, and how far each sink has got',
    ...owners,
    audit: null,
    status: 200,
    response: listOf(auditSinkSchema),
  }),
};

export const auditKeepingAuditWords = defineAuditWords({
  actions: {
    'audit_hold.create': 'hold audit entries',
    'audit_hold.release': 'release held audit entries',
  },
});
