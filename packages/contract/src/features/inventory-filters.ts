import * as z from 'zod';
import { booleanQuerySchema, idSchema, listQuery, repeatable, timeSchema } from '../schemas.ts';
import {
  INVENTORY_AUTH_POSTURES,
  inventoryAuthSchemeSchema,
  inventoryEndpointCategorySchema,
  inventoryMethodSchema,
  inventoryPiiSchema,
  inventoryProtocolSchema,
  riskFlagSchema,
} from './inventory.ts';

const score = z.coerce.number().int().min(0).max(255);
const text = z.string().min(1).max(4096);

/** Values of one parameter are alternatives; parameters narrow each other. */
export const inventoryFilters = {
  method: repeatable(inventoryMethodSchema).optional(),
  protocol: repeatable(inventoryProtocolSchema).optional(),
  risk_flag: repeatable(riskFlagSchema).optional(),
  pii_category: repeatable(inventoryPiiSchema).optional(),
  endpoint_category: repeatable(inventoryEndpointCategorySchema).optional(),
  auth_scheme: repeatable(inventoryAuthSchemeSchema).optional(),
  auth_posture: repeatable(z.enum(INVENTORY_AUTH_POSTURES)).optional(),
  /** `risk_flag` and `pii_category` mean what is active now. Without these two: operations that were seen within `risk_active_days`. */
  active: booleanQuerySchema.optional(),
  /** Begins with this text. Hosts are stored in lowercase, and the comparison is case-sensitive. */
  host: text.optional(),
  /** Begins with this text: a part of the template of the path. */
  normalized_path: text.optional(),
  /** Begins with this text. */
  listener_name: text.optional(),
  service_id: repeatable(idSchema).optional(),
  client_id: repeatable(idSchema).optional(),
  min_seen: z.coerce.number().int().min(0).optional(),
  /** Of `max_risk_score`. */
  min_risk_score: score.optional(),
  max_risk_score: score.optional(),
  /** Of `active_risk_score`. */
  min_active_risk_score: score.optional(),
  /** Inclusive. */
  last_seen_from: timeSchema.optional(),
  /** Exclusive. */
  last_seen_to: timeSchema.optional(),
  first_seen_from: timeSchema.optional(),
  first_seen_to: timeSchema.optional(),
  q: listQuery.q,
};

/** They need the event store: the operations that served matching requests between `traffic_from` and `traffic_to`, by default in the last 7 days. */
export const inventoryTrafficFilters = {
  country: repeatable(z.string().regex(/^[A-Z]{2}$/, 'an ISO 3166 code of two capital letters')).optional(),
  asn: repeatable(z.string().regex(/^\d{1,10}$/, 'the number of an autonomous system')).optional(),
  source_ip: repeatable(z.union([z.ipv4(), z.ipv6()])).optional(),
  user_agent: repeatable(z.string().min(1).max(512)).optional(),
  traffic_from: timeSchema.optional(),
  traffic_to: timeSchema.optional(),
};

const filterSchema = z.strictObject({ ...inventoryFilters, ...inventoryTrafficFilters });
export type InventoryFilter = z.infer<typeof filterSchema>;

export const inventoryListQuery = {
  ...listQuery,
  ...inventoryFilters,
  ...inventoryTrafficFilters,
  with_total: booleanQuerySchema.optional(),
};

/** What every list of the inventory says about itself. */
export const inventoryListFields = {
  /** The filters that apply, with their defaults. */
  applied: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  /** A bound has cut something: more operations had matching traffic than the event store lists. */
  truncated: z.boolean(),
  risk_active_days: z.number().int(),
  /** The half is at its limit: one row counts all other operations. */
  saturated: z.object({ confirmed: z.boolean(), attack_surface: z.boolean() }),
};
