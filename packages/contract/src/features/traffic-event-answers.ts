import * as z from 'zod';
import { idSchema, timeSchema } from '../schemas.ts';
import { inventoryEndpointCategorySchema, inventoryPiiSchema, riskFlagSchema } from './inventory.ts';
import { SHIELD_EVENT_VERDICTS, SHIELD_SEVERITIES } from './shield-events.ts';
import { TRAFFIC_AGENT_KINDS, TRAFFIC_STATUS_CLASSES } from './traffic-event-filters.ts';

const count = z.number();
const share = z.number().nullable();

/** raw: the events themselves; otherwise sums of minutes, hours or days. */
export const TRAFFIC_EVENT_RESOLUTIONS = ['raw', '1m', '1h', '1d'] as const;

/** The part of every answer that says what was read. */
export const trafficReadFields = {
  /** The range that was read: sums of minutes, hours and days extend the requested one to their bounds. */
  from: timeSchema,
  to: timeSchema,
  resolution: z.enum(TRAFFIC_EVENT_RESOLUTIONS),
  /** Earlier events of the range are deleted, so the answer lacks them. Null: it is complete. */
  complete_from: timeSchema.nullable(),
  /** Some events stand for several requests. `requests` and all other numbers are corrected for it; `events` is not. */
  sampled: z.boolean(),
  /** The filters that were applied, by parameter. */
  applied: z.record(z.string(), z.array(z.string())),
  /**
   * The keys whose hashes were searched for `source_ip` and `user_agent`, the newest first. Events with hashes of other, older keys are
   * not found. Null: neither filter was given.
   */
  key_ids: z.array(z.string()).nullable(),
};

/** Sums of a group of requests. */
export const trafficSumFields = {
  /** Events that are stored. */
  events: count,
  /** Requests that they stand for. */
  requests: count,
  /** Responses with a status from 400 to 499, and from 500. */
  client_errors: count,
  server_errors: count,
  /** Share of the requests, 0 to 1. Null: no request. */
  client_error_share: share,
  server_error_share: share,
  blocked: count,
  request_bytes: count,
  response_bytes: count,
  response_bytes_max: count,
  /** Null: no request. */
  latency_avg_ms: z.number().nullable(),
  latency_max_ms: z.number().nullable(),
  risk_max: count,
};
export const trafficSumsSchema = z.object(trafficSumFields);
export type TrafficSums = z.infer<typeof trafficSumsSchema>;

/** Interpolated in classes that grow by the square root of two, over all requests of the group. Null: no request. */
export const trafficLatencyFields = {
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  p99_ms: z.number().nullable(),
};

/** A group of requests by one value. */
export const trafficGroupSchema = z.object({
  /** As filters take it: an id for operations, services and clients. */
  value: z.string(),
  /** The name for people; null: the service or client was deleted. The same as `value` if there is no other. */
  label: z.string().nullable(),
  ...trafficSumFields,
});
export type TrafficGroup = z.infer<typeof trafficGroupSchema>;

/** An operation as its events describe it. */
export const trafficOperationFields = {
  operation_id: z.string(),
  method: z.string(),
  host: z.string(),
  normalized_path: z.string(),
  /** A gRPC method or a GraphQL operation; else empty. */
  operation: z.string(),
};

/** A finding of the filter about the same request. */
export const trafficFindingSchema = z.object({
  id: idSchema,
  time: timeSchema,
  policy: z.string(),
  engine: z.string(),
  reason: z.string(),
  severity: z.enum(SHIELD_SEVERITIES),
  verdict: z.enum(SHIELD_EVENT_VERDICTS),
  status: z.number().int(),
});
export type TrafficFinding = z.infer<typeof trafficFindingSchema>;

/** A request. It contains no address, user agent, query value, body or credential. */
export const trafficEventSchema = z.object({
  /** Also the id of its event on the live stream. */
  id: z.string(),
  time: timeSchema,
  /** The time was impossible, so it is that of the arrival. */
  clock_off: z.boolean(),
  ...trafficOperationFields,
  /** `(other)` if the project has more services than the store tells apart. */
  service_id: z.string(),
  /** Null: deleted. */
  service_name: z.string().nullable(),
  client_id: z.string(),
  client_name: z.string().nullable(),
  listener_name: z.string(),
  protocol: z.string(),
  route: z.string(),
  cluster: z.string(),
  /** 0: the request ended without one. */
  status: z.number().int(),
  status_class: z.enum(TRAFFIC_STATUS_CLASSES),
  grpc_status: z.number().int().nullable(),
  latency_ms: z.number(),
  request_bytes: count,
  response_bytes: count,
  response_flags: z.string(),
  content_type: z.string(),
  /** `x-request-id`; empty: none. An id that is no UUID is shown as a hash in the form of one. */
  request_id: z.string(),
  /** Keyed hashes of 16 hexadecimal digits; empty: unknown. */
  consumer: z.string(),
  source: z.string(),
  user_agent: z.string(),
  /** The object that the request names. */
  object: z.string(),
  /** Empty: unknown. */
  country: z.string(),
  /** Null: unknown. */
  asn: z.number().int().nullable(),
  agent_kind: z.enum(TRAFFIC_AGENT_KINDS),
  auth_scheme: z.string(),
  tls_version: z.string(),
  /** The decision of the filter; empty: it did not inspect the request, because there is none or no policy applies. */
  action: z.string(),
  engine: z.string(),
  risk_score: z.number().int(),
  exposure_score: z.number().int(),
  risk_flags: z.array(riskFlagSchema),
  pii_categories: z.array(inventoryPiiSchema),
  endpoint_categories: z.array(inventoryEndpointCategorySchema),
  /** The request matched a route and was no probe. */
  confirmed: z.boolean(),
  /** Null: not known. */
  authenticated: z.boolean().nullable(),
  origin: z.enum(['internal', 'external']).nullable(),
  /** The number of requests that the event stands for. */
  sample_weight: z.number().int(),
  /** Findings of the filter with the same request id. */
  findings: z.array(trafficFindingSchema),
});
export type TrafficEvent = z.infer<typeof trafficEventSchema>;
