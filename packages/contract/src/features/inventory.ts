import { CATEGORY_BITS, PII_BITS } from '@flotilla/inventory/event-bits';
import { OPERATION_SET_LIMITS, type OperationKey } from '@flotilla/inventory/operation';
import { RISK_FLAG_NAMES, type RiskFlag } from '@flotilla/inventory/risk-flags';
import * as z from 'zod';
import { idSchema, timeSchema } from '../schemas.ts';

/** Limits of operations in a project: confirmed ones, and those of the attack surface. Beyond them one row counts all others. */
export const INVENTORY_LIMITS = { confirmed: 100_000, attackSurface: 10_000 } as const;
/** A flag counts as active for this long after it was last seen. */
export const RISK_ACTIVE_DAYS = 7;
/** Operations that were seen fewer times are not mature (specification, "Maturity"). */
export const INVENTORY_MATURE_SEEN = 5;
/** The operation that counts everything beyond the limits has this host. */
export const INVENTORY_OTHER_HOST = '{other}';

export const INVENTORY_METHODS = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'HEAD',
  'OPTIONS',
  'CONNECT',
  'TRACE',
  'OTHER',
] as const satisfies readonly OperationKey['method'][];
/** `graphql`: an operation of a GraphQL endpoint, besides its version of HTTP. */
export const INVENTORY_PROTOCOLS = ['http/1.0', 'http/1.1', 'http/2', 'http/3', 'tcp', 'grpc', 'graphql'] as const;
export const INVENTORY_PII_CATEGORIES = PII_BITS;
export const INVENTORY_ENDPOINT_CATEGORIES = CATEGORY_BITS;
/** `bearer` and `other` are headers that name no known scheme; `none`: requests without credentials. */
export const INVENTORY_AUTH_SCHEMES = [
  'jwt',
  'mtls',
  'apikey',
  'basic',
  'cookie',
  'signature',
  'bearer',
  'other',
  'none',
] as const;
/**
 * authenticated  every accepted request had credentials
 * anonymous      accepted requests had none
 * inconsistent   accepted requests with and without credentials, and anonymous ones that were refused
 * mixed          accepted requests with and without credentials; no anonymous one was refused
 * unknown        no request was accepted
 */
export const INVENTORY_AUTH_POSTURES = ['authenticated', 'anonymous', 'inconsistent', 'mixed', 'unknown'] as const;
export const INVENTORY_STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** Bands of a score: see `GET /api/v3/inventory/risk-flags`. */
export const INVENTORY_RISK_BANDS = ['none', 'low', 'medium', 'high', 'critical'] as const;
export const RISK_SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export const RISK_CLASSES = [
  'auth',
  'attack_pattern',
  'transport',
  'data_leak',
  'discovery',
  'behavior',
  'consistency',
] as const;

/** The 16 hexadecimal digits of an operation: the same in the catalogue and in its events. */
export const operationIdSchema = z
  .string()
  .regex(/^[0-9a-f]{16}$/, '16 hexadecimal digits')
  .describe('Id of an operation of the inventory');
export const inventoryOperationParams = z.strictObject({ operation_id: operationIdSchema });

export type InventoryMethod = (typeof INVENTORY_METHODS)[number];
export type InventoryPosture = (typeof INVENTORY_AUTH_POSTURES)[number];

export const inventoryMethodSchema = z.enum(INVENTORY_METHODS);
export const inventoryProtocolSchema = z.enum(INVENTORY_PROTOCOLS);
export const inventoryPiiSchema = z.enum(INVENTORY_PII_CATEGORIES);
export const inventoryEndpointCategorySchema = z.enum(INVENTORY_ENDPOINT_CATEGORIES);
export const inventoryAuthSchemeSchema = z.enum(INVENTORY_AUTH_SCHEMES);
export const riskFlagSchema = z.enum(RISK_FLAG_NAMES as readonly [RiskFlag, ...RiskFlag[]]);
export const riskSeveritySchema = z.enum(RISK_SEVERITIES);

const count = z.number().int();

/** Active: seen within `risk_active_days`, and since the last reset. */
const seenFields = { last_seen: timeSchema, active: z.boolean() };
const operationFlagSchema = z.object({ flag: riskFlagSchema, severity: riskSeveritySchema, ...seenFields });
export type InventoryFlag = z.infer<typeof operationFlagSchema>;

const keyFields = {
  id: operationIdSchema,
  project: idSchema,
  method: inventoryMethodSchema,
  host: z.string(),
  /** Values are replaced by placeholders such as `{id}`. */
  normalized_path: z.string(),
  /** The operation of a GraphQL endpoint; otherwise empty. */
  operation: z.string(),
  /** Empty if the requests are no gRPC. */
  grpc_service: z.string(),
  grpc_method: z.string(),
};

/** An operation as a list shows it. */
export const inventoryOperationSummarySchema = z.object({
  ...keyFields,
  /** A request matched a route of a proxy. Stays true. */
  confirmed: z.boolean(),
  /** The row that counts all operations beyond the limit of its half. */
  other: z.boolean(),
  /** Never changes, also not by a reset. */
  first_seen: timeSchema,
  last_seen: timeSchema,
  /** Requests since `first_seen`, or since the last reset. Exact. */
  seen_count: count,
  status_dist: z.record(z.enum(INVENTORY_STATUS_CLASSES), count),
  /** Answers of class 5xx. */
  error_count: count,
  /** `error_count` divided by `seen_count`, 0 to 1. */
  error_rate: z.number(),
  latency_max_ms: z.number(),
  response_bytes_total: count,
  /** The highest scores of an event since the last reset, 0 to 255. Lists are sorted by these. */
  max_risk_score: count,
  max_posture_score: count,
  risk_band: z.enum(INVENTORY_RISK_BANDS),
  posture_band: z.enum(INVENTORY_RISK_BANDS),
  /** The scores of the flags that are active now. */
  active_risk_score: count,
  active_posture_score: count,
  active_risk_band: z.enum(INVENTORY_RISK_BANDS),
  active_posture_band: z.enum(INVENTORY_RISK_BANDS),
  /** Flags of the threat axis, most severe first; then those of the exposure axis. */
  threat_flags: z.array(operationFlagSchema),
  exposure_flags: z.array(operationFlagSchema),
  pii_categories: z.array(z.object({ category: inventoryPiiSchema, ...seenFields })),
  endpoint_categories: z.array(inventoryEndpointCategorySchema),
  auth_schemes: z.array(z.object({ scheme: inventoryAuthSchemeSchema, ...seenFields })),
  /** Over the active window. */
  auth_posture: z.enum(INVENTORY_AUTH_POSTURES),
  auth_observed: z.boolean(),
  noauth_observed: z.boolean(),
  protocols: z.array(inventoryProtocolSchema),
  listeners: z.array(z.string()),
});
export type InventoryOperationSummary = z.infer<typeof inventoryOperationSummarySchema>;

const namedSchema = z.object({ id: idSchema, /** Null: deleted. */ name: z.string().nullable() });

/** An operation with everything that is known of it. Sets keep the values that were seen first, up to their limits. */
export const inventoryOperationSchema = inventoryOperationSummarySchema.extend({
  /** Requests by status code; `other` counts codes beyond the limit, `0` requests that ended without an answer. */
  status_codes: z.record(z.string(), count),
  latency_buckets: z.object({
    lt5: count,
    lt25: count,
    lt100: count,
    lt500: count,
    lt2000: count,
    ge2000: count,
  }),
  response_bytes_max: count,
  /** Null: no request. */
  response_bytes_avg: z.number().nullable(),
  request_bytes_total: count,
  /** Requests that a filter blocked. */
  blocked_count: count,
  /** Last times of: a request with credentials, an accepted anonymous one, a refused anonymous one. Null: never. */
  authenticated_at: timeSchema.nullable(),
  anonymous_at: timeSchema.nullable(),
  refused_at: timeSchema.nullable(),
  services: z.array(namedSchema),
  clients: z.array(namedSchema),
  clusters: z.array(z.string()),
  routes: z.array(z.string()),
  content_types: z.array(z.string()),
  origins: z.array(z.string()),
  query_names: z.array(z.string()),
  /** Keyed hashes of the first consumers. */
  consumers: z.array(z.string()),
  sample_event_ids: z.array(z.string()),
  /** Names of the sets that are at their limit, so that later values are missing. */
  full_sets: z.array(z.enum(Object.keys(OPERATION_SET_LIMITS) as [keyof typeof OPERATION_SET_LIMITS])),
  /** Counters and personal data begin here. Null: at `first_seen`. */
  reset_at: timeSchema.nullable(),
  /** Scores, flags and evidence of authentication begin here. */
  scores_reset_at: timeSchema.nullable(),
});
export type InventoryOperation = z.infer<typeof inventoryOperationSchema>;
