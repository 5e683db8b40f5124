import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, idSchema, listOf, timeSchema } from '../schemas.ts';
import { inventoryOperationParams, inventoryOperationSchema, inventoryOperationSummarySchema } from './inventory.ts';
import { inventoryFilters, inventoryListFields, inventoryListQuery } from './inventory-filters.ts';
import {
  authCoverageCountsSchema,
  inventoryGroupSchema,
  inventoryListenerSchema,
  inventoryProjectParam,
  piiCategoryCountSchema,
  riskFlagCatalogueSchema,
  riskSummarySchema,
} from './inventory-views.ts';

export const INVENTORY_PATH = '/api/v3/inventory';
/** Operations in an OpenAPI document. */
export const INVENTORY_OPENAPI_MAX = 20_000;
export const INVENTORY_OPENAPI_FORMATS = ['yaml', 'json'] as const;
export const INVENTORY_ZOMBIE_DAYS_DEFAULT = 30;
export const INVENTORY_ZOMBIE_SEEN_DEFAULT = 1000;
export const INVENTORY_DISCOVERY_HOURS_DEFAULT = 24;
export const INVENTORY_AUTH_MODES = ['unauthenticated', 'inconsistent'] as const;

const shared = {
  method: 'GET',
  tag: 'API inventory',
  family: 'inventory',
  access: { kind: 'roles', roles: READERS },
  project: 'query',
  audit: null,
  status: 200,
} as const;

const operations = listOf(inventoryOperationSummarySchema).extend(inventoryListFields);
const days = (max: number) => z.coerce.number().int().min(1).max(max);

/**
 * Lists of operations are sorted by `last_seen` (the default, newest first), `first_seen`, `seen_count`, `error_rate`, `latency_max_ms`,
 * `max_risk_score`, `max_posture_score`, `active_risk_score`, `active_posture_score`, `host` or `normalized_path`.
 */
export const inventoryRoutes = {
  list: defineRoute({
    ...shared,
    id: 'listInventory',
    path: INVENTORY_PATH,
    summary: 'List the operations that matched routes of the proxies',
    query: z.strictObject(inventoryListQuery),
    response: operations,
  }),
  attackSurface: defineRoute({
    ...shared,
    id: 'listAttackSurface',
    path: `${INVENTORY_PATH}/attack-surface`,
    summary: 'List the operations that only probes and scanners requested',
    query: z.strictObject(inventoryListQuery),
    response: operations,
  }),
  groups: defineRoute({
    ...shared,
    id: 'listInventoryGroups',
    path: `${INVENTORY_PATH}/operations`,
    summary: 'List the confirmed operations by host and path',
    /**
     * The filters choose operations, `min_seen` and the scores groups. Sorted by `last_seen` (the default, newest first), `first_seen`,
     * `total_seen`, `operation_count`, `max_risk_score`, `max_posture_score`, `active_risk_score`, `active_posture_score`, `host` or
     * `normalized_path`.
     */
    query: z.strictObject(inventoryListQuery),
    response: listOf(inventoryGroupSchema).extend(inventoryListFields),
  }),
  listeners: defineRoute({
    ...shared,
    id: 'listInventoryListeners',
    path: `${INVENTORY_PATH}/listeners`,
    summary: 'List the listeners with the operations that they served',
    /** Sorted by `last_seen` (the default, newest first), `operation_count`, `total_seen` or `listener`. */
    query: z.strictObject(inventoryListQuery),
    response: listOf(inventoryListenerSchema).extend(inventoryListFields),
  }),
  riskFlags: defineRoute({
    ...shared,
    id: 'listRiskFlags',
    path: `${INVENTORY_PATH}/risk-flags`,
    summary: 'List the risk flags with their severities, reasons and remedies',
    query: inventoryProjectParam,
    response: riskFlagCatalogueSchema,
  }),
  riskSummary: defineRoute({
    ...shared,
    id: 'readRiskSummary',
    path: `${INVENTORY_PATH}/risk-summary`,
    summary: 'Count the confirmed operations by risk flag, class and severity',
    query: z.strictObject({ project: idSchema, ...inventoryFilters }),
    response: riskSummarySchema,
  }),
  discoveries: defineRoute({
    ...shared,
    id: 'listDiscoveries',
    path: `${INVENTORY_PATH}/discoveries`,
    summary: 'List the confirmed operations that appeared within a time window, newest first',
    query: z.strictObject({
      ...inventoryListQuery,
      window_hours: days(90 * 24)
        .optional()
        .describe('Length of the window'),
    }),
    response: operations.extend({ window_hours: z.number().int(), window_start: timeSchema }),
  }),
  authCoverage: defineRoute({
    ...shared,
    id: 'listAuthCoverage',
    path: `${INVENTORY_PATH}/auth-coverage`,
    summary: 'List the confirmed operations that accept anonymous requests, and count all by their authentication',
    query: z.strictObject({
      ...inventoryListQuery,
      mode: z
        .enum(INVENTORY_AUTH_MODES)
        .optional()
        .describe('Operations that accept anonymous requests, or only those that refuse others'),
      include_read: booleanQuerySchema.optional().describe('Also methods that only read'),
    }),
    response: operations.extend({
      mode: z.enum(INVENTORY_AUTH_MODES),
      scope: z.enum(['write_methods', 'all_methods']),
      counts: authCoverageCountsSchema,
    }),
  }),
  pii: defineRoute({
    ...shared,
    id: 'listInventoryPii',
    path: `${INVENTORY_PATH}/pii`,
    summary: 'List the confirmed operations with personal data in their addresses, and count them by category',
    query: z.strictObject(inventoryListQuery),
    response: operations.extend({ categories: z.array(piiCategoryCountSchema) }),
  }),
  zombies: defineRoute({
    ...shared,
    id: 'listZombies',
    path: `${INVENTORY_PATH}/zombies`,
    summary: 'List the confirmed operations that were busy once and have no traffic any more',
    query: z.strictObject({
      ...inventoryListQuery,
      inactive_days: days(365).optional().describe('Days without a request'),
      min_seen_count: z.coerce.number().int().min(1).optional().describe('Least number of requests before that'),
    }),
    response: operations.extend({
      inactive_days: z.number().int(),
      inactive_since: timeSchema,
      min_seen_count: z.number().int(),
    }),
  }),
  openapi: defineRoute({
    ...shared,
    id: 'exportInventoryOpenapi',
    path: `${INVENTORY_PATH}/openapi`,
    summary: 'Export the confirmed operations as an OpenAPI 3.0.3 document',
    rate: 'trial',
    query: z.strictObject({
      project: idSchema,
      format: z.enum(INVENTORY_OPENAPI_FORMATS).optional(),
      host: z.string().min(1).max(255).optional().describe('The whole host; without one, each path names its servers'),
      listener_name: inventoryFilters.listener_name,
      normalized_path: inventoryFilters.normalized_path,
      min_seen: inventoryFilters.min_seen,
    }),
    media: 'application/octet-stream',
    response: z.string(),
  }),
  get: defineRoute({
    ...shared,
    id: 'readInventoryOperation',
    path: `${INVENTORY_PATH}/:operation_id`,
    summary: 'Read an operation with everything that is known of it',
    params: inventoryOperationParams,
    query: inventoryProjectParam,
    response: inventoryOperationSchema,
  }),
};
