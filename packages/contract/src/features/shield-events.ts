import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, listOf, listQuery, nameSchema, repeatable, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';

/** Retention of events: days, and events per project. Beyond the limit the newest events of every client stay. */
export const SHIELD_EVENTS_KEPT_DAYS = 7;
export const SHIELD_EVENTS_KEPT_MAX = 200_000;

export const SHIELD_EVENT_VERDICTS = ['blocked', 'detected', 'error'] as const;
export const SHIELD_SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
/** Number of groups per list of a summary. */
export const SHIELD_SUMMARY_TOP_DEFAULT = 10;
export const SHIELD_SUMMARY_TOP_MAX = 50;

/**
 * One finding of a filter: an objection of an engine, or one against the body. In mode `detect` a request may have several.
 * It contains no query, no header value, no body and no key.
 *
 * blocked   the request was blocked
 * detected  the policy is in mode `detect`; otherwise the request would have been blocked
 * error     the engine failed or ran out of time, and `fail_open` allowed the request
 */
export const shieldEventSchema = z.object({
  id: idSchema,
  /** By the filter's clock, but never later than the time of the report. */
  time: timeSchema,
  service_id: idSchema,
  /** Null: the service was deleted. */
  service_name: z.string().nullable(),
  client_id: idSchema,
  client_name: z.string().nullable(),
  /** `x-request-id`; else empty. */
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
  /** The status that the client got or would have got: 401, 403 or 429. */
  status: z.number().int(),
  /** The proven identity; else empty. */
  subject: z.string(),
  /** Empty if unknown. */
  source_ip: z.string(),
  /** Digest of the bundle that decided. */
  digest: z.string(),
  /** The measured value and its limit; empty if the reason says everything. */
  detail: z.string(),
});
export type ShieldEvent = z.infer<typeof shieldEventSchema>;

const text = z.string().min(1).max(256);

/** `from` is inclusive, `to` exclusive. Values of one parameter are alternatives; parameters narrow each other. */
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
  /** Searches host, path, subject, reason, policy, detail and request id. */
  q: listQuery.q,
};
export const shieldEventFilterSchema = z.strictObject(filters);
export type ShieldEventFilter = z.infer<typeof shieldEventFilterSchema>;

const count = z.number().int();
const counts = { events: count, blocked: count, detected: count, errors: count };

/** A group of events. `name` is their common value (an id for services and clients). */
export const shieldEventGroupSchema = z.object({
  name: z.string(),
  /** The name for people; the same as `name` if there is no other. */
  label: z.string(),
  ...counts,
  last_at: timeSchema,
});
export type ShieldEventGroup = z.infer<typeof shieldEventGroupSchema>;

/** The largest groups first; `others` counts the events of all groups that are not listed. */
const groups = z.object({ groups: z.array(shieldEventGroupSchema), others: count });

export const shieldEventSummarySchema = z.object({
  from: timeSchema,
  to: timeSchema,
  totals: z.object(counts),
  /**
   * Findings of the selected services and clients in this time that are in no list, because filters report a bounded number per
   * second. Nothing else is known of them, so the other filters do not apply. Counted with the next reported finding.
   */
  dropped: count,
  /** The newest event of the selection; else null. */
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
  family: 'policies',
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
    summary: 'List what the filters blocked and detected, newest first',
    /** Sorted by `-time` (newest first) or `time`. */
    query: z.strictObject({ ...listQuery, ...filters }),
    response: listOf(shieldEventSchema),
  }),
  summary: defineRoute({
    ...shared,
    id: 'readShieldEventSummary',
    // The query scans every event of the time range.
    rate: 'trial',
    method: 'GET',
    path: '/api/v3/shield/events/summary',
    summary: 'Count what the filters blocked and detected by engine, reason, policy, host and source',
    /**
     * The default is the last 24 hours. Counts cover the stored events: under a flood filters record only a part of what they
     * block. The counters (`/api/v3/shield/counters`) are complete.
     */
    query: z.strictObject({
      project: idSchema,
      ...filters,
      top: z.coerce.number().int().min(1).max(SHIELD_SUMMARY_TOP_MAX).optional(),
    }),
    response: shieldEventSummarySchema,
  }),
};

export const shieldEventsTopics = [
  /** Filters reported new findings; at most one event every few seconds. */
  defineTopic('shield_event', 'members', { service_id: idSchema.optional() }),
] as const;
