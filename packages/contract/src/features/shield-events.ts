import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, listOf, listQuery, nameSchema, repeatable, timeSchema } from '../schemas.ts';

/** Of each project so many days of events are kept, and no more than so many events: the newest of every client. */
export const SHIELD_EVENTS_KEPT_DAYS = 7;
export const SHIELD_EVENTS_KEPT_MAX = 200_000;

export const SHIELD_EVENT_VERDICTS = ['blocked', 'detected', 'error'] as const;
export const SHIELD_SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
/** Groups that a summary lists of each kind. */
export const SHIELD_SUMMARY_TOP_DEFAULT = 10;
export const SHIELD_SUMMARY_TOP_MAX = 50;

/**
 * One finding of a filter: something that an engine, or the body itself, had against a request. One request may have
 * several in mode `detect`. Holds no query, no header value, no body and no key.
 *
 * blocked   the request was turned away
 * detected  it would have been: the policy is in mode `detect`
 * error     the engine broke or ran out of time, and `fail_open` let the request go on
 */
export const shieldEventSchema = z.object({
  id: idSchema,
  /** By the filter's clock, never later than the controller heard of it. */
  time: timeSchema,
  service_id: idSchema,
  /** Null: the service is gone. */
  service_name: z.string().nullable(),
  client_id: idSchema,
  client_name: z.string().nullable(),
  /** `x-request-id`; empty when there was none. */
  request_id: z.string(),
  method: z.string(),
  host: z.string(),
  /** As sent, without the query. */
  path: z.string(),
  policy: z.string(),
  /** The route's prefix; empty for the domain's own policy. */
  route: z.string(),
  /** An engine's name, or `body`. */
  engine: z.string(),
  /** Stable code such as `apikey.missing`. */
  reason: z.string(),
  severity: z.enum(SHIELD_SEVERITIES),
  verdict: z.enum(SHIELD_EVENT_VERDICTS),
  /** What the client got, or would have got: 403 or 429. */
  status: z.number().int(),
  /** The proven identity; empty when there is none. */
  subject: z.string(),
  /** Empty when it is not known. */
  source_ip: z.string(),
  /** Of the bundle that decided. */
  digest: z.string(),
  /** What was measured against what; empty where the reason says it all. */
  detail: z.string(),
});
export type ShieldEvent = z.infer<typeof shieldEventSchema>;

const text = z.string().min(1).max(256);

/** `from` is inclusive, `to` exclusive. Names of one parameter are alternatives; parameters narrow each other. */
const filters = {
  service_id: repeatable(idSchema).optional(),
  client_id: repeatable(idSchema).optional(),
  policy: repeatable(nameSchema).optional(),
  /** The empty text is the domain's own policy. */
  route: repeatable(z.string().max(1024)).optional(),
  /** An engine's name, or `body`. */
  engine: repeatable(z.string().max(64)).optional(),
  reason: repeatable(z.string().max(64)).optional(),
  severity: repeatable(z.enum(SHIELD_SEVERITIES)).optional(),
  verdict: repeatable(z.enum(SHIELD_EVENT_VERDICTS)).optional(),
  method: repeatable(z.string().max(32)).optional(),
  host: text.optional(),
  path_prefix: z.string().min(1).max(1024).optional(),
  subject: text.optional(),
  /** An address, or a network such as `203.0.113.0/24`. */
  source_ip: z
    .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], 'an address, or a network such as 192.0.2.0/24')
    .optional(),
  request_id: z.string().min(1).max(128).optional(),
  from: timeSchema.optional(),
  to: timeSchema.optional(),
  /** Within host, path, subject, reason, policy, detail and request id. */
  q: listQuery.q,
};
export const shieldEventFilterSchema = z.strictObject(filters);
export type ShieldEventFilter = z.infer<typeof shieldEventFilterSchema>;

const count = z.number().int();
const counts = { events: count, blocked: count, detected: count, errors: count };

/** What belongs together; `name` is the value that events of it share (an id for services and clients). */
export const shieldEventGroupSchema = z.object({
  name: z.string(),
  /** What people call it; the same as `name` where there is no other word. */
  label: z.string(),
  ...counts,
  last_at: timeSchema,
});
export type ShieldEventGroup = z.infer<typeof shieldEventGroupSchema>;

/** The largest groups first; `others` are the events of all groups that are not listed. */
const groups = z.object({ groups: z.array(shieldEventGroupSchema), others: count });

export const shieldEventSummarySchema = z.object({
  from: timeSchema,
  to: timeSchema,
  totals: z.object(counts),
  /**
   * Findings of the selected services and clients in this time that are in no list: filters tell a bounded number a second. What
   * they were nobody knows, so no other filter narrows them. Counted with the next finding that is told.
   */
  dropped: count,
  /** The newest event of the selection; null when there is none. */
  last_at: timeSchema.nullable(),
  by_engine: groups,
  by_reason: groups,
  by_policy: groups,
  by_route: groups,
  by_service: groups,
  by_client: groups,
  by_host: groups,
  by_path: groups,
  by_source_ip: groups,
  by_subject: groups,
});
export type ShieldEventSummary = z.infer<typeof shieldEventSummarySchema>;

const shared = {
  tag: 'Policies',
  access: { kind: 'roles', roles: READERS },
  project: 'query',
  audit: null,
  status: 200,
} as const;

export const shieldEventRoutes = {
  list: defineRoute({
    ...shared,
    id: 'listShieldEvents',
    method: 'GET',
    path: '/api/v3/shield/events',
    summary: 'What the filters blocked and detected, newest first',
    /** Sorted by `-time` (newest first) or `time`. */
    query: z.strictObject({ ...listQuery, ...filters }),
    response: listOf(shieldEventSchema),
  }),
  summary: defineRoute({
    ...shared,
    id: 'readShieldEventSummary',
    // It looks at every event of the time.
    rate: 'trial',
    method: 'GET',
    path: '/api/v3/shield/events/summary',
    summary: 'What the filters blocked and detected, counted by engine, reason, policy, host and source',
    /**
     * The last 24 hours unless told otherwise. Counts are of the events that are kept: under a flood filters record only a
     * part of what they block. The counters (`/api/v3/shield/counters`) are complete.
     */
    query: z.strictObject({
      project: idSchema,
      ...filters,
      top: z.coerce.number().int().min(1).max(SHIELD_SUMMARY_TOP_MAX).optional(),
    }),
    response: shieldEventSummarySchema,
  }),
};
