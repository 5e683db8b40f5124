import * as z from 'zod';
import { idSchema, timeSchema } from '../schemas.ts';
import {
  INVENTORY_AUTH_POSTURES,
  INVENTORY_RISK_BANDS,
  INVENTORY_STATUS_CLASSES,
  inventoryEndpointCategorySchema,
  inventoryMethodSchema,
  inventoryPiiSchema,
  inventoryProtocolSchema,
  operationIdSchema,
  RISK_CLASSES,
  riskFlagSchema,
  riskSeveritySchema,
} from './inventory.ts';

const count = z.number().int();
const band = z.enum(INVENTORY_RISK_BANDS);
const scoreFields = {
  max_risk_score: count,
  max_posture_score: count,
  risk_band: band,
  posture_band: band,
  active_risk_score: count,
  active_posture_score: count,
  active_risk_band: band,
  active_posture_band: band,
};
const timeFields = { first_seen: timeSchema, last_seen: timeSchema };

/** Operations of a group in an answer; `operations_omitted` counts the others. */
export const INVENTORY_GROUP_OPERATIONS_MAX = 50;
/** Hosts of a listener in an answer. */
export const INVENTORY_LISTENER_HOSTS_MAX = 32;

/** The operations of one host and path. Scores are the worst of the group. */
export const inventoryGroupSchema = z.object({
  host: z.string(),
  normalized_path: z.string(),
  methods: z.array(inventoryMethodSchema),
  protocols: z.array(inventoryProtocolSchema),
  operation_count: count,
  total_seen: count,
  error_count: count,
  error_rate: z.number(),
  ...scoreFields,
  ...timeFields,
  /** Most requests first. */
  operations: z.array(
    z.object({
      id: operationIdSchema,
      method: inventoryMethodSchema,
      operation: z.string(),
      protocols: z.array(inventoryProtocolSchema),
      seen_count: count,
      error_rate: z.number(),
      latency_max_ms: z.number(),
      ...scoreFields,
      risk_flags: z.array(riskFlagSchema),
      pii_categories: z.array(inventoryPiiSchema),
      endpoint_categories: z.array(inventoryEndpointCategorySchema),
      auth_posture: z.enum(INVENTORY_AUTH_POSTURES),
      last_seen: timeSchema,
    }),
  ),
  operations_omitted: count,
});
export type InventoryGroup = z.infer<typeof inventoryGroupSchema>;

/** The operations that a listener has served. Counts are those of the operations, which other listeners may have served, too. */
export const inventoryListenerSchema = z.object({
  listener: z.string(),
  operation_count: count,
  confirmed_count: count,
  total_seen: count,
  hosts: z.array(z.string()),
  hosts_omitted: count,
  risk_flags: z.array(riskFlagSchema),
  status_dist: z.record(z.enum(INVENTORY_STATUS_CLASSES), count),
  max_risk_score: count,
  max_posture_score: count,
  last_seen: timeSchema,
});
export type InventoryListener = z.infer<typeof inventoryListenerSchema>;

/** A flag with its texts. */
export const riskFlagEntrySchema = z.object({
  flag: riskFlagSchema,
  title: z.string(),
  severity: riskSeveritySchema,
  /** Points of the severity: 10, 7, 4, 1, 0. */
  points: count,
  axis: z.enum(['threat', 'exposure']),
  class: z.enum(RISK_CLASSES),
  /** Risk of the OWASP API Security Top 10 of 2023, such as `API2`. */
  owasp: z.string().nullable(),
  /** Where it is fixed. */
  remedy: z.enum(['filter', 'transport', 'application', 'none']),
  /** Follows from several requests of an operation: no event has it. */
  derived: z.boolean(),
  what: z.string(),
  why: z.string(),
  detected: z.string(),
  steps: z.array(z.string()),
});
export type RiskFlagEntry = z.infer<typeof riskFlagEntrySchema>;

export const riskFlagCatalogueSchema = z.object({
  items: z.array(riskFlagEntrySchema),
  /** The lowest score of each band. */
  bands: z.array(z.object({ band, from: count })),
  risk_active_days: count,
});

const flagCount = {
  /** Operations that ever had the flag, since their reset. */
  operations: count,
  active_operations: count,
};
export const riskSummarySchema = z.object({
  total_operations: count,
  flagged_operations: count,
  active_flagged_operations: count,
  by_flag: z.array(
    z.object({
      flag: riskFlagSchema,
      severity: riskSeveritySchema,
      class: z.enum(RISK_CLASSES),
      axis: z.enum(['threat', 'exposure']),
      ...flagCount,
    }),
  ),
  by_class: z.array(z.object({ class: z.enum(RISK_CLASSES), ...flagCount })),
  by_severity: z.array(z.object({ severity: riskSeveritySchema, ...flagCount })),
  /** Operations by the band of their scores: for the worst of a lifetime, and for now. */
  by_band: z.array(z.object({ band, threat: count, exposure: count, active_threat: count, active_exposure: count })),
});
export type RiskSummary = z.infer<typeof riskSummarySchema>;

export const piiCategoryCountSchema = z.object({
  category: inventoryPiiSchema,
  operation_count: count,
  active_count: count,
  samples: z.array(
    z.object({ id: operationIdSchema, method: inventoryMethodSchema, host: z.string(), normalized_path: z.string() }),
  ),
});

export const authCoverageCountsSchema = z.object({
  operations: count,
  authenticated: count,
  unauthenticated: count,
  inconsistent: count,
  mixed: count,
  unknown: count,
});

/** One audited change of many operations. */
export const inventoryChangedSchema = z.object({
  /** Operations that the request names or covers. */
  matched: count,
  /** Operations that it changed or deleted. */
  changed: count,
  /** Ids that the project does not have. */
  unknown: z.array(operationIdSchema),
});
export const inventoryProjectParam = z.strictObject({ project: idSchema });
