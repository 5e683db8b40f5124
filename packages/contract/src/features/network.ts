import * as z from 'zod';

/*
 * The answers of the NETWORK commands. They come from a host that may be compromised or run another agent, so their readers return
 * undefined for another form.
 */

const routeSchema = z.object({
  family: z.union([z.literal(4), z.literal(6)]),
  to: z.string(),
  via: z.string().nullable(),
  interface: z.string().nullable(),
  table: z.number(),
  metric: z.number(),
  source: z.string().nullable(),
  scope: z.string(),
  protocol: z.string(),
  onlink: z.boolean(),
  type: z.string(),
  /** Belongs to the kernel or to another program: it cannot be changed here. */
  protected: z.boolean(),
  /** Is in the netplan file of this host, so that it is there after a restart. */
  stored: z.boolean(),
});
export type NetworkRoute = z.infer<typeof routeSchema>;

const policySchema = z.object({
  family: z.union([z.literal(4), z.literal(6)]),
  priority: z.number(),
  from: z.string(),
  to: z.string(),
  table: z.number(),
  protocol: z.string(),
  interface: z.string().nullable(),
  protected: z.boolean(),
  stored: z.boolean(),
});
export type NetworkPolicy = z.infer<typeof policySchema>;

const tableSchema = z.object({ id: z.number(), name: z.string(), managed: z.boolean() });
export type NetworkTable = z.infer<typeof tableSchema>;

const interfaceSchema = z.object({
  name: z.string(),
  kind: z.string(),
  addresses: z.array(z.string()),
  state: z.enum(['up', 'down']),
  has_carrier: z.boolean(),
  mac_address: z.string(),
  mtu: z.number(),
});
export type NetworkInterface = z.infer<typeof interfaceSchema>;

const routesSchema = z.object({
  routes: z.array(routeSchema),
  routes_total: z.number(),
  /** Stored, but not in the kernel. */
  missing_routes: z.array(routeSchema),
});
const policiesSchema = z.object({
  policies: z.array(policySchema),
  policies_total: z.number(),
  missing_policies: z.array(policySchema),
});
const tablesSchema = z.object({ routing_tables: z.array(tableSchema) });
const stateSchema = z.object({
  interfaces: z.array(interfaceSchema),
  ...routesSchema.shape,
  ...policiesSchema.shape,
  ...tablesSchema.shape,
  current_netplan_yaml: z.string().nullable(),
});
export type NetworkState = z.infer<typeof stateSchema>;

const generationSchema = z.object({
  generation: z.number(),
  at: z.string(),
  command_id: z.string(),
  /** Null: the managed file did not exist. */
  yaml: z.string().nullable(),
});
export type NetplanGeneration = z.infer<typeof generationSchema>;
/** The newest generation is first. */
const netplanSchema = z.object({
  current_yaml: z.string().nullable(),
  generation: z.number(),
  generations: z.array(generationSchema),
});

const readerOf =
  <Schema extends z.ZodType>(schema: Schema) =>
  (result: unknown): z.infer<Schema> | undefined =>
    schema.safeParse(result).data;

export const readNetworkRoutes = readerOf(routesSchema);
export const readNetworkPolicies = readerOf(policiesSchema);
export const readNetworkTables = readerOf(tablesSchema);
export const readNetplan = readerOf(netplanSchema);

const answerSchema = z.object({ network_state: stateSchema });
export function readNetworkState(result: unknown): NetworkState | undefined {
  return answerSchema.safeParse(result).data?.network_state;
}
