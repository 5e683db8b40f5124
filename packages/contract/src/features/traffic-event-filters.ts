import * as z from 'zod';
import { idSchema, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { inventoryEndpointCategorySchema, inventoryPiiSchema, operationIdSchema, riskFlagSchema } from './inventory.ts';

/** Without `from`, every answer about requests covers this time before `to`. */
export const TRAFFIC_WINDOW_DEFAULT_MS = 24 * 3_600_000;
/** Events are kept this long; a query that reads single events covers at most this. */
export const TRAFFIC_WINDOW_MAX_MS = 7 * 86_400_000;
export const TRAFFIC_EVENTS_PAGE_MAX = 500;
export const TRAFFIC_EVENTS_PAGE_DEFAULT = 50;
/** Values of one filter. */
export const TRAFFIC_FILTER_VALUES_MAX = 32;

/** Steps of series, and the longest window of each. */
export const TRAFFIC_GRANULARITIES = ['1m', '1h', '1d'] as const;
export const TRAFFIC_GRANULARITY_MAX_MS = {
  '1m': 30 * 86_400_000,
  '1h': 180 * 86_400_000,
  '1d': 730 * 86_400_000,
} as const satisfies Readonly<Record<(typeof TRAFFIC_GRANULARITIES)[number], number>>;

/** `none`: the request ended without a status. */
export const TRAFFIC_STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx', 'none'] as const;
export const TRAFFIC_AGENT_KINDS = ['scanner', 'bot', 'monitor', 'sdk', 'cli', 'browser', 'empty', 'unknown'] as const;
export const TRAFFIC_ACTIONS = ['allow', 'block', 'detect'] as const;

/** The columns that events are counted by. */
export const TRAFFIC_DIMENSIONS = [
  'operation',
  'service',
  'client',
  'listener',
  'method',
  'host',
  'path',
  'status',
  'status_class',
  'route',
  'cluster',
  'protocol',
  'action',
  'engine',
  'country',
  'asn',
  'agent_kind',
  'auth_scheme',
  'tls_version',
  'content_type',
  'response_flags',
  'grpc_status',
  'consumer',
  'source',
  'user_agent',
  'risk_score',
] as const;
export const trafficDimensionSchema = z.enum(TRAFFIC_DIMENSIONS);
export type TrafficDimension = z.infer<typeof trafficDimensionSchema>;

/** A keyed hash of a consumer, an address, a user agent or an object. */
export const trafficHashSchema = z.string().regex(/^[0-9a-f]{16}$/, '16 hexadecimal digits');
/** `<milliseconds since 1970>.<24 hexadecimal digits>`: the id of an event. */
export const trafficEventIdSchema = z
  .string()
  .regex(/^\d{1,15}\.[0-9a-f]{24}$/, 'the id of an event, as a list of events has it');

const text = (max: number) => z.string().max(max);
const number = (min: number, max: number) => z.coerce.number().int().min(min).max(max);
/** Events have microseconds. */
const milliseconds = z.coerce.number().min(0).max(4_294_967);
/** Alternatives: a request matches if it has one of the values. */
function anyOf<T extends z.ZodType<unknown, string>>(item: T, description: string) {
  return repeatable(item)
    .refine((values) => values.length <= TRAFFIC_FILTER_VALUES_MAX, `at most ${TRAFFIC_FILTER_VALUES_MAX} values`)
    .optional()
    .describe(description);
}

/** `from` is inclusive, `to` exclusive. */
export const trafficWindowQuery = {
  from: timeSchema.optional().describe('Start of the time range, inclusive; 24 hours before `to` by default'),
  to: timeSchema.optional().describe('End of the time range, exclusive; now by default'),
};

/** Values of one parameter are alternatives; parameters narrow each other. */
export const trafficFilterQuery = {
  operation_id: anyOf(operationIdSchema, 'Ids of operations'),
  service_id: anyOf(idSchema, 'Ids of services'),
  client_id: anyOf(idSchema, 'Ids of clients'),
  method: anyOf(text(32), 'Methods of the requests'),
  host: text(255).optional().describe('Beginning of the host, in lowercase as it is stored'),
  host_is: anyOf(text(255), 'Hosts as a whole'),
  normalized_path: text(512).optional().describe('Beginning of the normalized path'),
  path_is: anyOf(text(512), 'Normalized paths as a whole'),
  listener_name: text(128).optional().describe('Beginning of the name of the listener'),
  listener_is: anyOf(text(128), 'Names of listeners as a whole'),
  status: anyOf(z.string().regex(/^\d{1,3}$/, 'a status such as 404'), 'Statuses of the responses'),
  status_min: number(0, 999).optional().describe('Smallest status of the responses'),
  status_max: number(0, 999).optional().describe('Largest status of the responses'),
  status_class: anyOf(z.enum(TRAFFIC_STATUS_CLASSES), 'Classes of statuses; `none`: no response'),
  request_id: anyOf(z.string().min(1).max(128), 'Ids of requests (x-request-id)'),
  risk_flag: anyOf(riskFlagSchema, 'Risk flags of the requests'),
  pii_category: anyOf(inventoryPiiSchema, 'Categories of personal data in the requests'),
  endpoint_category: anyOf(inventoryEndpointCategorySchema, 'Categories of the operations'),
  min_risk_score: number(0, 255).optional().describe('Smallest score of threats'),
  max_risk_score: number(0, 255).optional().describe('Largest score of threats'),
  min_exposure_score: number(0, 255).optional().describe('Smallest score of exposure'),
  min_latency_ms: milliseconds.optional().describe('Shortest time from the request to the end of the response'),
  max_latency_ms: milliseconds.optional().describe('Longest time from the request to the end of the response'),
  min_response_bytes: number(0, Number.MAX_SAFE_INTEGER).optional().describe('Smallest size of the responses'),
  route: anyOf(text(128), 'Names of routes of Envoy'),
  cluster: anyOf(text(128), 'Names of clusters of Envoy'),
  protocol: anyOf(text(16), 'Protocols: http/1.0, http/1.1, http/2, http/3, grpc, tcp'),
  action: anyOf(z.enum(TRAFFIC_ACTIONS), 'Decisions of the filter'),
  engine: anyOf(text(32), 'Engines of the filter that decided'),
  country: anyOf(
    z.string().regex(/^([A-Z]{2})?$/, 'two capital letters such as NL'),
    'Countries of the sources (ISO 3166); empty: unknown',
  ),
  asn: anyOf(z.string().regex(/^\d{1,10}$/, 'a number such as 64496'), 'Numbers of the networks of the sources'),
  agent_kind: anyOf(z.enum(TRAFFIC_AGENT_KINDS), 'Kinds of user agents'),
  auth_scheme: anyOf(text(16), 'Schemes of credentials; `none`: without credentials'),
  tls_version: anyOf(text(16), 'Versions of TLS; empty: without TLS'),
  content_type: anyOf(text(96), 'Content types of the responses'),
  response_flags: anyOf(text(64), 'Response flags of Envoy'),
  grpc_status: anyOf(z.string().regex(/^\d{1,2}$/, 'a gRPC status from 0 to 16'), 'Statuses of gRPC'),
  consumer: anyOf(
    z.string().regex(/^([0-9a-f]{16})?$/, '16 hexadecimal digits, or empty'),
    'Hashes of consumers; empty: anonymous',
  ),
  source: anyOf(trafficHashSchema, 'Hashes of source addresses'),
  user_agent_hash: anyOf(trafficHashSchema, 'Hashes of user agents'),
  source_ip: anyOf(
    z.union([z.ipv4(), z.ipv6()], 'an IPv4 or IPv6 address'),
    'Source addresses. Events have keyed hashes of them, so only whole addresses are found',
  ),
  user_agent: anyOf(z.string().min(1).max(1024), 'User agents as a whole. Events have keyed hashes of them'),
  confirmed: z.enum(['true', 'false']).optional().describe('True: the requests matched a route and were no probes'),
  authenticated: z.enum(['true', 'false']).optional().describe('True: with credentials; false: without'),
  origin: anyOf(z.enum(['internal', 'external']), 'Whether the source is in a private network'),
  clock_off: z
    .enum(['true', 'false'])
    .optional()
    .describe('True: the time of the event was impossible and is that of its arrival'),
};
const filterSchema = z.strictObject(trafficFilterQuery);
export type TrafficFilter = z.infer<typeof filterSchema>;

export const trafficQuery = { project: idSchema, ...trafficWindowQuery, ...trafficFilterQuery };
export const trafficPageQuery = {
  ...trafficQuery,
  limit: number(1, TRAFFIC_EVENTS_PAGE_MAX).optional().describe('Maximum number of events; 50 by default'),
  cursor: listQuery.cursor,
};
