import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { SERIES_STEP_MAX_S } from './metrics.ts';

/** The parts of an Envoy whose traffic is counted. `server` is Envoy as a whole. */
export const TRAFFIC_SCOPES = ['server', 'listener', 'route_configuration', 'virtual_host', 'cluster'] as const;
export const trafficScopeSchema = z.enum(TRAFFIC_SCOPES);
export type TrafficScope = z.infer<typeof trafficScopeSchema>;

/**
 * The values of a series. Counters are rates per second: requests by status class (`requests_1xx` to `requests_5xx`), `resets`
 * (requests that ended without a status), `timeouts`, `retries`, `connections_opened`, `connect_failures` (to an upstream),
 * `tls_errors`, `bytes_received`, `bytes_sent`, `overflows` (requests that a circuit breaker refused), `ejections`,
 * `no_healthy_upstream`. Gauges are the last value of the step, summed over the nodes: `connections_active`,
 * `requests_active`, `endpoints`, `endpoints_healthy`, `endpoints_ejected`; `circuit_open` (the largest, 1 while a circuit
 * breaker is open) and `certificate_days` (the smallest, days until the first certificate expires).
 */
export const TRAFFIC_VALUES = [
  'requests_1xx',
  'requests_2xx',
  'requests_3xx',
  'requests_4xx',
  'requests_5xx',
  'resets',
  'timeouts',
  'retries',
  'connections_opened',
  'connect_failures',
  'tls_errors',
  'bytes_received',
  'bytes_sent',
  'overflows',
  'ejections',
  'no_healthy_upstream',
  'connections_active',
  'requests_active',
  'endpoints',
  'endpoints_healthy',
  'endpoints_ejected',
  'circuit_open',
  'certificate_days',
] as const;
export const trafficValueSchema = z.enum(TRAFFIC_VALUES);
export type TrafficValueName = z.infer<typeof trafficValueSchema>;

/** How finely traffic is kept, and for how long. */
export const TRAFFIC_RESOLUTIONS = [
  { step_s: 10, kept_s: 3600 },
  { step_s: 60, kept_s: 14 * 86_400 },
  { step_s: 3600, kept_s: 366 * 86_400 },
] as const;

/** The name of an Envoy object may be this long. */
const NAME_MAX_CHARS = 2048;
/** Points of the sparklines in a summary, one per minute. */
export const TRAFFIC_SPARKLINE_POINTS = 30;
export const TRAFFIC_SUMMARY_SERVICES_MAX = 1000;
/** Ids in one request: more do not fit into an address. */
export const TRAFFIC_SUMMARY_IDS_MAX = 200;
/** Names per service and scope in a summary: those with the most requests. */
export const TRAFFIC_SUMMARY_NAMES_MAX = 200;

/** Quantiles of the time from a request's start to the end of its response. Null: no request completed. */
const latencyFields = {
  p50_ms: z.number().nullable(),
  p95_ms: z.number().nullable(),
  p99_ms: z.number().nullable(),
};

export const trafficPointSchema = z.object({
  /** Start of the step. */
  at: timeSchema,
  /** Number of nodes that reported about the step. A node without a report is missing from the values. */
  nodes: z.number().int(),
  /** Responses of all status classes, per second. */
  requests_per_s: z.number(),
  /** Share of responses with a status of 500 or more, 0 to 1. Null: no response. */
  error_share: z.number().nullable(),
  ...latencyFields,
  /** The requested metrics. A gauge that no node reported is left out. */
  values: z.partialRecord(trafficValueSchema, z.number()),
});
export type TrafficPoint = z.infer<typeof trafficPointSchema>;

/** In order of time. A step that was reported has a point, even if nothing happened. */
export const trafficSeriesSchema = z.object({
  from: timeSchema,
  to: timeSchema,
  step_s: z.number().int(),
  /** Length of the stored intervals: 10, 60 or 3600. `step_s` is a multiple of it. */
  resolution_s: z.number().int(),
  points: z.array(trafficPointSchema),
  /**
   * Steps without a report of any node after the first stored one: unknown rather than zero. An agent that was away
   * reports them later, as far as it kept them.
   */
  gaps: z.array(timeSchema),
  /** Start of the steps that still grow. Null: all are complete. Rates of the last point cover the part that was reported. */
  open_from: timeSchema.nullable(),
  /** Names beyond the limit of a node were counted together in the range. */
  has_other: z.boolean(),
});
export type TrafficSeries = z.infer<typeof trafficSeriesSchema>;

const statsFields = {
  /** Over the last complete minute. Null: no node reported it. */
  requests_per_s: z.number().nullable(),
  errors_per_s: z.number().nullable(),
  error_share: z.number().nullable(),
  ...latencyFields,
  connections: z.number().int().nullable(),
  /** Upstream hosts of the clusters, all and healthy. Null: no cluster reported any. */
  endpoints: z.number().int().nullable(),
  endpoints_healthy: z.number().int().nullable(),
  /** Requests per second of each minute, oldest first; the last one is the last complete minute. Null: not reported. */
  sparkline: z.array(z.number().nullable()),
  /** Responses of class 5xx per second, for the same minutes. */
  errors_sparkline: z.array(z.number().nullable()),
};

export const trafficNameSchema = z.object({
  scope: trafficScopeSchema,
  /** A virtual host is `<route configuration>/<virtual host>`. Null: names beyond the limit of a node, counted together. */
  name: z.string().nullable(),
  ...statsFields,
});
export type TrafficName = z.infer<typeof trafficNameSchema>;

export const trafficServiceSchema = z.object({
  service_id: idSchema,
  service_name: z.string(),
  /** Nodes that have ever reported, and those that reported within the last minute. */
  nodes: z.number().int(),
  reporting: z.number().int(),
  /** End of the newest reported interval. Null: nothing was ever reported. */
  reported_at: timeSchema.nullable(),
  /** Sums over the listeners; connections and latency, too. */
  ...statsFields,
  /** The requested scopes, most requests first. */
  names: z.array(trafficNameSchema),
  /** Names that are left out of `names`. */
  names_omitted: z.number().int(),
});
export type TrafficService = z.infer<typeof trafficServiceSchema>;

export const trafficSummarySchema = z.object({
  at: timeSchema,
  /** Start of the first minute of the sparklines. */
  sparkline_from: timeSchema,
  /** By name. Services that have no node are left out. */
  services: z.array(trafficServiceSchema),
});
export type TrafficSummary = z.infer<typeof trafficSummarySchema>;

/** An endpoint to which Envoy does not send all requests. */
export const endpointProblemSchema = z.object({
  service_id: idSchema,
  service_name: z.string(),
  client_id: idSchema,
  client_name: z.string(),
  cluster: z.string(),
  /** `host:port`, or the path of a socket. */
  address: z.string(),
  /** Envoy's health flags, such as failed_active_hc or failed_outlier_check. */
  reasons: z.array(z.string()),
  /** When it was first reported. */
  since: timeSchema,
  /** End of the interval that reported it last. An old time means that the agent is away. */
  reported_at: timeSchema,
});
export type EndpointProblemRecord = z.infer<typeof endpointProblemSchema>;

const common = {
  method: 'GET',
  tag: 'Traffic',
  family: 'services',
  access: { kind: 'roles', roles: READERS },
  project: 'query',
  audit: null,
  status: 200,
} as const;

export const trafficRoutes = {
  series: defineRoute({
    ...common,
    id: 'readTrafficSeries',
    path: '/api/v3/traffic/series',
    summary: 'Read requests, errors, latency and connections of proxies over time',
    query: z.strictObject({
      project: idSchema,
      /** Without one, all services that the caller may see. */
      service_id: repeatable(idSchema).optional(),
      client_id: idSchema.optional(),
      /** By default `listener`: what clients of the proxies see. */
      scope: trafficScopeSchema.optional(),
      /** Without one, the sum over all names of the scope. */
      name: z.string().min(1).max(NAME_MAX_CHARS).optional(),
      /** `from` is inclusive, `to` exclusive; the default is the last hour. */
      from: timeSchema.optional(),
      to: timeSchema.optional(),
      /**
       * A multiple of 10; made coarser if the answer would have too many points, or if the range is no longer kept that finely.
       * By default the controller picks one that gives about 240 points. Steps begin at multiples of it since 1970.
       */
      step_s: z.coerce.number().int().min(10).max(SERIES_STEP_MAX_S).multipleOf(10).optional(),
      /** Contents of `values`; by default all. */
      metrics: repeatable(trafficValueSchema).optional(),
    }),
    response: trafficSeriesSchema,
  }),
  summary: defineRoute({
    ...common,
    id: 'readTrafficSummary',
    path: '/api/v3/traffic/summary',
    summary: 'Read the current traffic of services, and of their listeners, routes and clusters',
    query: z.strictObject({
      project: idSchema,
      /** Without one, the first 1,000 services that the caller may see. */
      service_id: repeatable(idSchema).pipe(z.array(z.string()).max(TRAFFIC_SUMMARY_IDS_MAX)).optional(),
      client_id: idSchema.optional(),
      /** Scopes to list by name. Without one, the answer has only services. */
      scope: repeatable(trafficScopeSchema).optional(),
    }),
    response: trafficSummarySchema,
  }),
  endpoints: defineRoute({
    ...common,
    id: 'listTrafficEndpoints',
    path: '/api/v3/traffic/endpoints',
    summary: 'List the upstream endpoints that proxies consider unhealthy',
    query: z.strictObject({
      ...listQuery,
      service_id: repeatable(idSchema).optional(),
      client_id: repeatable(idSchema).optional(),
      cluster: repeatable(z.string().min(1).max(NAME_MAX_CHARS)).optional(),
      with_total: booleanQuerySchema.optional(),
    }),
    response: listOf(endpointProblemSchema).extend({
      /** Problems that agents left out because there were too many. */
      omitted: z.number().int(),
    }),
  }),
};
