import * as z from 'zod';
import { timeSchema } from '../schemas.ts';
import { inventoryPiiSchema, riskFlagSchema } from './inventory.ts';
import {
  trafficGroupSchema,
  trafficLatencyFields,
  trafficOperationFields,
  trafficReadFields,
  trafficSumFields,
  trafficSumsSchema,
} from './traffic-event-answers.ts';
import {
  TRAFFIC_AGENT_KINDS,
  TRAFFIC_GRANULARITIES,
  TRAFFIC_STATUS_CLASSES,
  trafficDimensionSchema,
} from './traffic-event-filters.ts';

const count = z.number();
const percentage = z.number();

/**
 * In order of time. Without `by` every step has a point, also one without requests. With `by` a point belongs to one value, and steps
 * without requests of it have none.
 */
export const trafficSeriesPointSchema = z.object({
  /** Start of the step. */
  at: timeSchema,
  value: z.string().optional(),
  label: z.string().nullable().optional(),
  ...trafficSumFields,
  ...trafficLatencyFields,
  /** Requests by status class. Only without `by`. */
  status_classes: z.record(z.enum(TRAFFIC_STATUS_CLASSES), count).optional(),
  /** Exact, over the stored events. Null: not asked for, or events are not kept for the whole range. */
  unique_consumers: count.nullable(),
  unique_sources: count.nullable(),
});
export type TrafficSeriesPoint = z.infer<typeof trafficSeriesPointSchema>;

export const trafficStatsSchema = z.object({
  ...trafficReadFields,
  granularity: z.enum(TRAFFIC_GRANULARITIES),
  by: trafficDimensionSchema.nullable(),
  points: z.array(trafficSeriesPointSchema),
  /** Over the whole range. Percentiles come from the latencies of all requests, never from those of the points. */
  totals: z.object({ ...trafficSumFields, ...trafficLatencyFields }),
  /** With `by`, further values than the twenty largest are in no point. */
  truncated: z.boolean(),
});
export type TrafficStats = z.infer<typeof trafficStatsSchema>;

/**
 * active       it had requests in the window
 * dormant      it had none
 */
export const trafficPostureSchema = z.object({
  ...trafficReadFields,
  operation_id: z.string(),
  window_days: z.number().int(),
  state: z.enum(['active', 'dormant']),
  /** Null: dormant. */
  current: z
    .object({
      events: count,
      requests: count,
      max_risk_score: count,
      max_exposure_score: count,
      risk_flags: z.array(riskFlagSchema),
      pii_categories: z.array(inventoryPiiSchema),
      /** Requests with credentials, and without. */
      authenticated: count,
      anonymous: count,
      first_active: timeSchema,
      last_active: timeSchema,
    })
    .nullable(),
});
export type TrafficPosture = z.infer<typeof trafficPostureSchema>;

const statusCount = z.object({ status_class: z.enum(TRAFFIC_STATUS_CLASSES), requests: count });
export const trafficOperationGroupSchema = z.object({ ...trafficOperationFields, ...trafficSumFields });
export type TrafficOperationGroup = z.infer<typeof trafficOperationGroupSchema>;

/**
 * Lists that need single events are null if neither these nor sums of them are kept for the range; `limited` says so. It also says which numbers are
 * estimates: in ranges with many requests, consumers and sources are counted from sums.
 */
export const trafficOverviewSchema = z.object({
  ...trafficReadFields,
  totals: z.object({ ...trafficSumFields, ...trafficLatencyFields }),
  /** The same for the equally long time before, to compare. Null: it begins before what is kept. */
  previous: z.object({ ...trafficSumFields, ...trafficLatencyFields }).nullable(),
  requests_per_s: z.number(),
  status_classes: z.array(statusCount),
  granularity: z.enum(TRAFFIC_GRANULARITIES),
  /** Without uniques. */
  points: z.array(trafficSeriesPointSchema),
  top_operations: z.array(trafficOperationGroupSchema),
  top_services: z.array(trafficGroupSchema),
  top_consumers: z.array(trafficGroupSchema).nullable(),
  top_countries: z.array(trafficGroupSchema).nullable(),
  agent_kinds: z.array(trafficGroupSchema).nullable(),
  unique_consumers: count.nullable(),
  unique_sources: count.nullable(),
  limited: z.string().nullable(),
});
export type TrafficOverview = z.infer<typeof trafficOverviewSchema>;

/** The largest groups first. */
export const trafficTopSchema = z.object({
  ...trafficReadFields,
  by: trafficDimensionSchema,
  order: z.string(),
  items: z.array(trafficGroupSchema),
  totals: trafficSumsSchema,
  /** There are further groups. */
  truncated: z.boolean(),
});
export type TrafficTop = z.infer<typeof trafficTopSchema>;

const part = z.object({ value: z.string(), label: z.string().nullable(), requests: count, percentage });
export const trafficGeoSchema = z.object({
  ...trafficReadFields,
  requests: count,
  origins: z.object({ internal: count, external: count, unknown: count }),
  /** Percentages of all requests, with one decimal. Other values are in `truncated` lists. */
  countries: z.array(part),
  networks: z.array(part),
  agent_kinds: z.array(part),
  threat_intel: z.object({ requests: count, percentage, sources: z.array(part) }),
  truncated: z.boolean(),
});
export type TrafficGeo = z.infer<typeof trafficGeoSchema>;

const consumerFields = {
  /** Keyed hash. */
  consumer: z.string(),
  ...trafficSumFields,
  /** Exact, over the stored events. */
  distinct_sources: count,
  distinct_operations: count,
  distinct_objects: count,
  threat_intel_hits: count,
  /** Responses with 401 or 403. */
  auth_failures: count,
  first_seen: timeSchema,
  last_seen: timeSchema,
};
export const trafficConsumerSchema = z.object({
  ...consumerFields,
  /** Its share of the requests with a consumer, with one decimal. */
  percentage,
});
export type TrafficConsumer = z.infer<typeof trafficConsumerSchema>;
export const trafficConsumersSchema = z.object({
  ...trafficReadFields,
  requests: count,
  anonymous_requests: count,
  items: z.array(trafficConsumerSchema),
  truncated: z.boolean(),
});
export type TrafficConsumers = z.infer<typeof trafficConsumersSchema>;

/** `seen` null: no request in the range. */
export const trafficConsumerDetailSchema = z.object({
  ...trafficReadFields,
  consumer: z.string(),
  seen: z
    .object({
      ...consumerFields,
      ...trafficLatencyFields,
      /** Requests with a critical threat (a score of 10 or more). */
      critical_requests: count,
      /** Requests of the minute that has the most. */
      peak_per_minute: count,
    })
    .nullable(),
  countries: z.array(trafficGroupSchema),
  networks: z.array(trafficGroupSchema),
  methods: z.array(trafficGroupSchema),
  statuses: z.array(trafficGroupSchema),
  agent_kinds: z.array(trafficGroupSchema),
  auth_schemes: z.array(trafficGroupSchema),
  sources: z.array(trafficGroupSchema),
  operations: z.array(trafficOperationGroupSchema),
  truncated: z.boolean(),
});
export type TrafficConsumerDetail = z.infer<typeof trafficConsumerDetailSchema>;

export const trafficBotsSchema = z.object({
  ...trafficReadFields,
  requests: count,
  items: z.array(z.object({ ...trafficOperationFields, agent_kind: z.enum(TRAFFIC_AGENT_KINDS), ...trafficSumFields })),
  truncated: z.boolean(),
});
export type TrafficBots = z.infer<typeof trafficBotsSchema>;

export const TRAFFIC_TRANSPORT_ISSUES = ['weak_tls_version', 'plain_text_transport', 'basic_auth_plaintext'] as const;
export const trafficTransportSchema = z.object({
  ...trafficReadFields,
  requests: count,
  /** Percentages with one decimal. A request counts once, however many issues it has. */
  summary: z.object({
    weak_tls_percentage: percentage,
    plain_text_percentage: percentage,
    legacy_protocol_percentage: percentage,
    http2_or_later_percentage: percentage,
  }),
  /** The empty value is a connection without TLS to the proxy. */
  tls_versions: z.array(part),
  protocols: z.array(part),
  /** Weak transport by listener, host and path. */
  items: z.array(
    z.object({
      listener_name: z.string(),
      host: z.string(),
      normalized_path: z.string(),
      tls_version: z.string(),
      protocol: z.string(),
      issues: z.array(z.enum(TRAFFIC_TRANSPORT_ISSUES)),
      requests: count,
    }),
  ),
  truncated: z.boolean(),
});
export type TrafficTransport = z.infer<typeof trafficTransportSchema>;

export const trafficErrorsSchema = z.object({
  ...trafficReadFields,
  summary: z.object({
    requests: count,
    client_errors: count,
    server_errors: count,
    /** Their share of all requests, with one decimal. */
    error_percentage: percentage,
  }),
  granularity: z.enum(TRAFFIC_GRANULARITIES),
  points: z.array(z.object({ at: timeSchema, requests: count, client_errors: count, server_errors: count })),
  /** Operations with the most errors. */
  items: z.array(trafficOperationGroupSchema.extend({ error_percentage: percentage })),
  truncated: z.boolean(),
});
export type TrafficErrors = z.infer<typeof trafficErrorsSchema>;

/** Requests by time and latency. Every step of the range is there, also one without requests. */
export const trafficLatencyMapSchema = z.object({
  ...trafficReadFields,
  /** Length of a step. */
  step_s: z.number().int(),
  /** From the class of the fastest request to that of the slowest one, without holes: longer than `from_ms`, up to `to_ms`. */
  classes: z.array(z.object({ from_ms: z.number(), to_ms: z.number().nullable() })),
  /** `requests` has one number for each class. */
  steps: z.array(z.object({ at: timeSchema, requests: z.array(count) })),
  requests: count,
});
export type TrafficLatencyMap = z.infer<typeof trafficLatencyMapSchema>;

/**
 * read        the sums cover the whole range
 * not_kept    the range begins before what is kept: nothing is known of it
 * not_begun   the range is in the future
 */
export const TRAFFIC_RANGE_STATES = ['read', 'not_kept', 'not_begun'] as const;
export const trafficComparedRangeSchema = z.object({
  /** As in other answers: sums extend the requested range to their bounds. */
  from: timeSchema,
  to: timeSchema,
  state: z.enum(TRAFFIC_RANGE_STATES),
  /** Null: the range was not read. */
  totals: z.object({ ...trafficSumFields, ...trafficLatencyFields }).nullable(),
  requests_per_s: z.number().nullable(),
});
export type TrafficComparedRange = z.infer<typeof trafficComparedRangeSchema>;

/** `new`: only in the range; `gone`: only in the base range. */
export const TRAFFIC_CHANGES = ['new', 'gone', 'changed'] as const;
export const trafficChangeSchema = z.object({
  /** As filters take it: an id for operations. */
  value: z.string(),
  label: z.string().nullable(),
  change: z.enum(TRAFFIC_CHANGES),
  /** Null: no request in that range. */
  now: trafficSumsSchema.nullable(),
  base: trafficSumsSchema.nullable(),
  /** Requests per second more than in the base range. */
  difference_per_s: z.number(),
});
export type TrafficChange = z.infer<typeof trafficChangeSchema>;
const changes = z.object({
  new_count: count,
  gone_count: count,
  /** Those whose requests per second differ most. */
  items: z.array(trafficChangeSchema),
  /** One of the ranges has more values than were compared. The largest ones were. */
  truncated: z.boolean(),
});
export type TrafficChanges = z.infer<typeof changes>;

/** Lists that cannot be compared are null; `limited` says why. */
export const trafficComparisonSchema = z.object({
  resolution: trafficReadFields.resolution,
  sampled: trafficReadFields.sampled,
  applied: trafficReadFields.applied,
  key_ids: trafficReadFields.key_ids,
  range: trafficComparedRangeSchema,
  base: trafficComparedRangeSchema,
  operations: changes.nullable(),
  consumers: changes.nullable(),
  countries: changes.nullable(),
  limited: z.string().nullable(),
});
export type TrafficComparison = z.infer<typeof trafficComparisonSchema>;
