import * as z from 'zod';
import { booleanQuerySchema, idSchema, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { FINDING_DECISIONS, FINDING_SEVERITIES, FINDING_STATES, FINDING_TEXT_MAX } from './finding-words.ts';
import { inventoryMethodSchema, operationIdSchema, riskFlagSchema } from './inventory.ts';

const count = z.number().int();
const stateSchema = z.enum(FINDING_STATES);
const severitySchema = z.enum(FINDING_SEVERITIES);
const textSchema = z.string().trim().min(1).max(FINDING_TEXT_MAX);

/**
 * The evidence that the traffic has given since the flag was last seen. A finding becomes fixed when `is_met`: `requests` and `used_s` are large enough, and
 * `condition` is met if there is one.
 */
export const findingEvidenceSchema = z.object({
  /** Requests before this time do not count. */
  starts_at: timeSchema,
  /** The flag was seen then; or the operation was reset or merged with another one, which shows nothing. */
  starts_with: z.enum(['sighting', 'reset', 'merge']),
  /**
   * The requests that would have shown the flag.
   * requests  all
   * answers   those that no filter blocked
   * accepted  those with an answer of class 2xx or 3xx
   * success   those with an answer of class 2xx
   */
  counts: z.enum(['requests', 'answers', 'accepted', 'success']),
  requests: count,
  requests_needed: count,
  /** From `starts_at` to the newest request of the operation. */
  used_s: count,
  used_s_needed: count,
  /**
   * anonymous_refused  a request without credentials was refused since
   * jwt_seen           a token was seen since, with a short lifetime
   */
  condition: z.enum(['anonymous_refused', 'jwt_seen']).nullable(),
  condition_met: z.boolean(),
  is_met: z.boolean(),
  /** The last request of the operation, if none came since `starts_at`: without traffic nothing is shown. */
  no_traffic_since: timeSchema.nullable(),
});
export type FindingEvidence = z.infer<typeof findingEvidenceSchema>;

/** A risk flag of an operation, as people work with it. */
export const findingSchema = z.object({
  id: idSchema,
  project: idSchema,
  /** The name is the last known one. Hosts and paths come from requests: they may contain anything. */
  operation: z.object({
    id: operationIdSchema,
    method: inventoryMethodSchema,
    host: z.string(),
    normalized_path: z.string(),
    operation: z.string(),
  }),
  flag: riskFlagSchema,
  title: z.string(),
  severity: severitySchema,
  state: stateSchema,
  state_since: timeSchema,
  /** Null: the traffic, or the passing of time. */
  state_by: z.string().nullable(),
  /** Why the risk is accepted, or the note of the last change of the state. */
  reason: z.string().nullable(),
  accepted_until: timeSchema.nullable(),
  /** A member of the project. */
  owner: z.object({ id: idSchema, name: z.string() }).nullable(),
  /** When the flag was first and last seen. Filters and orders may lag by ten minutes while the flag is seen all the time. */
  first_seen: timeSchema,
  last_seen: timeSchema,
  /** How often it was seen, counted at most once in ten minutes: the catalogue keeps the time of a flag, not the number of its requests. */
  sightings: count,
  /** Null: the operation does not exist any more. */
  evidence: findingEvidenceSchema.nullable(),
  revision: count,
});
export type FindingView = z.infer<typeof findingSchema>;

/** The parameters of the routes of events that list the requests with the flag. */
const findingEventsSchema = z.object({
  operation_id: z.array(operationIdSchema),
  /** Null: the flag follows from several requests, so no single event has it. */
  risk_flag: riskFlagSchema.nullable(),
  from: timeSchema,
  to: timeSchema,
});

export const findingDetailSchema = findingSchema.extend({
  axis: z.enum(['threat', 'exposure']),
  remedy: z.enum(['filter', 'transport', 'application', 'none']),
  owasp: z.string().nullable(),
  texts: z.object({ what: z.string(), why: z.string(), detected: z.string(), steps: z.array(z.string()) }),
  events: findingEventsSchema,
});
export type FindingDetail = z.infer<typeof findingDetailSchema>;

/**
 * opened   the flag was seen for the first time
 * state    the state has changed
 * owner    the owner has changed; `from` and `to` are names
 * comment  somebody wrote `note`
 * moved    the operation is part of another one now; `from` and `to` are ids of operations
 */
export const FINDING_ENTRY_KINDS = ['opened', 'state', 'owner', 'comment', 'moved'] as const;

export const findingEntrySchema = z.object({
  id: idSchema,
  at: timeSchema,
  kind: z.enum(FINDING_ENTRY_KINDS),
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** Null: the traffic, or the passing of time. */
  by: z.string().nullable(),
  note: z.string().nullable(),
});
export type FindingEntry = z.infer<typeof findingEntrySchema>;

export const findingSummarySchema = z.object({
  /** Findings in the states new, came_back, acknowledged, fix_claimed and accepted. */
  open: count,
  states: z.record(stateSchema, count),
  /** Findings that are new or came back, by severity. */
  severities: z.record(severitySchema, count),
  unassigned: count,
  /** The project has so many findings that no more are made. */
  saturated: z.boolean(),
  /** When the findings were last compared with the catalogue; null: never yet. */
  compared_at: timeSchema.nullable(),
});
export type FindingSummary = z.infer<typeof findingSummarySchema>;

/** Values of one parameter are alternatives; parameters narrow each other. */
export const findingFilters = {
  state: repeatable(stateSchema).optional().describe('State of the finding'),
  severity: repeatable(severitySchema).optional().describe('Severity of the flag'),
  risk_flag: repeatable(riskFlagSchema).optional().describe('Risk flag'),
  owner_id: repeatable(idSchema).optional().describe('Owner of the finding: the id of a user'),
  unassigned: booleanQuerySchema.optional().describe('Whether the finding has no owner'),
  operation_id: repeatable(operationIdSchema).optional(),
  service_id: repeatable(idSchema).optional(),
  host: z
    .string()
    .min(1)
    .max(4096)
    .optional()
    .describe('Beginning of the host. Hosts are stored in lowercase, and the comparison is case-sensitive'),
  q: listQuery.q,
};

export const findingListQuery = z.strictObject({
  ...listQuery,
  ...findingFilters,
  with_total: booleanQuerySchema.optional(),
});

export const findingChangeSchema = z.discriminatedUnion('state', [
  z.strictObject({
    state: z.enum(FINDING_DECISIONS).extract(['new', 'acknowledged', 'fix_claimed']),
    note: textSchema.optional(),
  }),
  z.strictObject({
    state: z.literal('accepted'),
    /** Why the risk is accepted. */
    note: textSchema,
    /** In the future, and within 366 days. */
    until: timeSchema,
  }),
]);
export type FindingChange = z.infer<typeof findingChangeSchema>;

export const findingCommentSchema = z.strictObject({ text: textSchema });
/** Null: nobody. */
export const findingOwnerSchema = z.strictObject({ owner_id: idSchema.nullable() });

const many = <T extends z.ZodType>(item: T, max = 50) => z.array(item).min(1).max(max);

/** Findings are chosen by ids, or by the same filters as in the list. */
const findingSelectionSchema = z.union([
  z.strictObject({ ids: many(idSchema, 500) }),
  z.strictObject({
    filter: z.strictObject({
      state: many(stateSchema).optional(),
      severity: many(severitySchema).optional(),
      risk_flag: many(riskFlagSchema).optional(),
      owner_id: many(idSchema).optional(),
      unassigned: z.boolean().optional(),
      operation_id: many(operationIdSchema, 500).optional(),
      service_id: many(idSchema).optional(),
      host: z.string().min(1).max(4096).optional(),
      q: z.string().max(256).optional(),
    }),
  }),
]);
export type FindingSelection = z.infer<typeof findingSelectionSchema>;

export const findingBulkSchema = z.strictObject({
  select: findingSelectionSchema,
  change: z.union([findingChangeSchema, findingOwnerSchema]),
});

export const findingBulkAnswerSchema = z.object({
  /** Findings that the selection names and that the caller may see. */
  matched: count,
  changed: count,
  /** They are in this state already, or have this owner. */
  unchanged: count,
  /** They are fixed or their operation is gone, so nobody decides about them. */
  refused: count,
  /** Matching findings beyond the 5,000 of one request. Send it again. */
  remaining: count,
});
export type FindingBulkAnswer = z.infer<typeof findingBulkAnswerSchema>;
