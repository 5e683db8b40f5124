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
  protocol: repeatable(inventoryProtocolSchema).optional().describe('Protocol of the requests'),
  risk_flag: repeatable(riskFlagSchema).optional().describe('Risk flag that the operation ever had'),
  pii_category: repeatable(inventoryPiiSchema).optional().describe('Category of personal data in addresses'),
  endpoint_category: repeatable(inventoryEndpointCategorySchema).optional().describe('Category of the path'),
  auth_scheme: repeatable(inventoryAuthSchemeSchema).optional().describe('Scheme of the credentials'),
  auth_posture: repeatable(z.enum(INVENTORY_AUTH_POSTURES)).optional().describe('State of the authentication'),
  active: booleanQuerySchema
    .optional()
    .describe(
      'True: `risk_flag` and `pii_category` mean what is active now. Without these two: operations that were seen within `risk_active_days`',
    ),
  host: text
    .optional()
    .describe('Beginning of the host. Hosts are stored in lowercase, and the comparison is case-sensitive'),
  normalized_path: text.optional().describe('Beginning of the template of the path'),
  listener_name: text.optional().describe('Beginning of the name of a listener'),
  service_id: repeatable(idSchema).optional(),
  client_id: repeatable(idSchema).optional(),
  min_seen: z.coerce.number().int().min(0).optional().describe('Least number of requests'),
  min_risk_score: score.optional().describe('Lower bound of `max_risk_score`'),
  max_risk_score: score.optional().describe('Upper bound of `max_risk_score`'),
  min_active_risk_score: score.optional().describe('Lower bound of `active_risk_score`'),
  last_seen_from: timeSchema.optional().describe('Last seen at this time or later'),
  last_seen_to: timeSchema.optional().describe('Last seen before this time'),
  first_seen_from: timeSchema.optional().describe('First seen at this time or later'),
  first_seen_to: timeSchema.optional().describe('First seen before this time'),
  q: listQuery.q,
};

/** They need the event store: the operations that served matching requests between `traffic_from` and `traffic_to`, by default in the last 7 days. */
export const inventoryTrafficFilters = {
  country: repeatable(z.string().regex(/^[A-Z]{2}$/, 'an ISO 3166 code of two capital letters'))
    .optional()
    .describe('Country of the source of requests: ISO 3166 alpha-2'),
  asn: repeatable(z.string().regex(/^\d{1,10}$/, 'the number of an autonomous system'))
    .optional()
    .describe('Autonomous system of the source of requests'),
  source_ip: repeatable(z.union([z.ipv4(), z.ipv6()], 'an IPv4 or IPv6 address'))
    .optional()
    .describe('Address of the source of requests'),
  user_agent: repeatable(z.string().min(1).max(512)).optional().describe('Exact user agent of requests'),
  traffic_from: timeSchema.optional().describe('Start of the window of matching requests, inclusive'),
  traffic_to: timeSchema.optional().describe('End of the window of matching requests, exclusive'),
};

const filterSchema = z.strictObject({ ...inventoryFilters, ...inventoryTrafficFilters });
export type InventoryFilter = z.infer<typeof filterSchema>;

export const inventoryListQuery = {
  ...listQuery,
  ...inventoryFilters,
  ...inventoryTrafficFilters,
  with_total: booleanQuerySchema.optional(),
};

/** Every list of the inventory says this about itself. */
export const inventoryListFields = {
  /** The filters that apply, with their defaults. */
  applied: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])),
  /** A bound has cut something: more operations had matching traffic than the event store lists. */
  truncated: z.boolean(),
  risk_active_days: z.number().int(),
  /** The half is at its limit: one row counts all other operations. */
  saturated: z.object({ confirmed: z.boolean(), attack_surface: z.boolean() }),
};
