import * as z from 'zod';
import { FAMILIES } from './addresses.ts';
import {
  actionSchema,
  addressSchema,
  asNumberSchema,
  communitySchema,
  descriptionSchema,
  expressionSchema,
  ipv4Schema,
  largeCommunitySchema,
  objectNameSchema,
  passwordSchema,
  prefixSchema,
  sequenceSchema,
  sourceSchema,
} from './fields.ts';

const LIST_MAX = 1000;
const UINT32_MAX = 4_294_967_295;
const UINT16_MAX = 65_535;

const keepaliveSchema = z.number().int().min(1).max(UINT16_MAX);
const holdSchema = z.number().int().min(3).max(UINT16_MAX);
const familiesSchema = z.array(z.enum(FAMILIES)).min(1).max(2);
/** FRR applies one of each per direction and address family. */
const namesSchema = z.array(objectNameSchema).max(2).default([]);

export const timersSchema = z.strictObject({
  keepalive: keepaliveSchema.optional(),
  holdtime: holdSchema.optional(),
  connect_retry: z.number().int().min(1).max(UINT16_MAX).optional(),
});

/** Members that a neighbour and a peer group have in common. A neighbour inherits those of its group. */
const sessionShape = {
  description: descriptionSchema.optional(),
  password: passwordSchema.optional(),
  /** In answers, instead of the password. In a request: keep the password that the host has. */
  has_password: z.boolean().optional(),
  timers: timersSchema.optional(),
  /** The address families of the session; by default that of the address. */
  families: familiesSchema.optional(),
  route_maps: z.strictObject({ route_map_in: namesSchema, route_map_out: namesSchema }).optional(),
  prefix_lists: z.strictObject({ prefix_list_in: namesSchema, prefix_list_out: namesSchema }).optional(),
  next_hop_self: z.boolean().optional(),
  soft_reconfiguration: z.boolean().optional(),
  shutdown: z.boolean().optional(),
  update_source: sourceSchema.optional(),
  maximum_prefix: z.number().int().min(1).max(UINT32_MAX).optional(),
  maximum_prefix_out: z.number().int().min(1).max(UINT32_MAX).optional(),
  allowas_in: z.number().int().min(1).max(10).optional(),
  weight: z.number().int().min(0).max(UINT16_MAX).optional(),
  ebgp_multihop: z.boolean().optional(),
  ebgp_multihop_ttl: z.number().int().min(1).max(255).optional(),
  disable_connected_check: z.boolean().optional(),
  graceful_restart: z.boolean().optional(),
  graceful_restart_helper: z.boolean().optional(),
  graceful_restart_disable: z.boolean().optional(),
  bfd: z.boolean().optional(),
  bfd_profile: objectNameSchema.optional(),
};

export const neighborSchema = z.strictObject({
  peer_ip: addressSchema,
  /** May come from the peer group. */
  remote_as: asNumberSchema.optional(),
  peer_group: objectNameSchema.optional(),
  ...sessionShape,
});
export type BgpNeighbor = z.output<typeof neighborSchema>;

export const peerGroupSchema = z.strictObject({
  name: objectNameSchema,
  remote_as: asNumberSchema.optional(),
  ...sessionShape,
});
export type BgpPeerGroup = z.output<typeof peerGroupSchema>;

export const prefixListSchema = z.strictObject({
  name: objectNameSchema,
  sequence: sequenceSchema,
  action: actionSchema,
  prefix: prefixSchema,
  le: z.number().int().min(0).max(128).optional(),
  ge: z.number().int().min(0).max(128).optional(),
});
export type BgpPrefixList = z.output<typeof prefixListSchema>;

export const communityListSchema = z.strictObject({
  name: objectNameSchema,
  sequence: sequenceSchema,
  action: actionSchema,
  type: z.enum(['standard', 'expanded', 'large']),
  /** Communities, or one regular expression for `expanded`. */
  community_values: z.array(z.string().max(128)).min(1).max(32),
});
export type BgpCommunityList = z.output<typeof communityListSchema>;

export const asPathListSchema = z.strictObject({
  name: objectNameSchema,
  sequence: sequenceSchema,
  action: actionSchema,
  expression: expressionSchema,
});
export type BgpAsPathList = z.output<typeof asPathListSchema>;

export const MATCH_TYPES = ['prefix-list', 'community', 'large-community', 'as-path'] as const;

export const routeMapSchema = z.strictObject({
  name: objectNameSchema,
  sequence: sequenceSchema,
  action: actionSchema,
  description: descriptionSchema.optional(),
  match_conditions: z
    .array(z.strictObject({ match_type: z.enum(MATCH_TYPES), match_value: objectNameSchema }))
    .max(8)
    .default([]),
  set_actions: z
    .strictObject({
      set_local_preference: z.number().int().min(0).max(UINT32_MAX).optional(),
      set_metric: z.number().int().min(0).max(UINT32_MAX).optional(),
      set_weight: z.number().int().min(0).max(UINT32_MAX).optional(),
      set_origin: z.enum(['igp', 'egp', 'incomplete']).optional(),
      set_nexthop: addressSchema.optional(),
      set_as_path_prepend: z.array(asNumberSchema).min(1).max(16).optional(),
      set_community: z.array(communitySchema).min(1).max(32).optional(),
      /** Adds to the communities of the route instead of replacing them. */
      set_community_additive: z.boolean().optional(),
      set_large_community: z.array(largeCommunitySchema).min(1).max(32).optional(),
      set_large_community_additive: z.boolean().optional(),
    })
    .default({}),
});
export type BgpRouteMap = z.output<typeof routeMapSchema>;

export const bfdProfileSchema = z.strictObject({
  name: objectNameSchema,
  detect_multiplier: z.number().int().min(2).max(255).default(3),
  receive_interval_ms: z.number().int().min(10).max(60_000).default(300),
  transmit_interval_ms: z.number().int().min(10).max(60_000).default(300),
});
export type BgpBfdProfile = z.output<typeof bfdProfileSchema>;

/** Announces the network while the service is healthy on this host. */
export const healthRouteSchema = z.strictObject({ service: z.string().min(1).max(128), prefix: prefixSchema });
export type BgpHealthRoute = z.output<typeof healthRouteSchema>;

const ADMINISTRATIVE_DISTANCE = /^[1-9]\d{0,2}-[1-9]\d{0,2}-[1-9]\d{0,2}$/;

/** The complete BGP configuration of a host. */
export const bgpDocumentSchema = z.strictObject({
  autonomous_system: asNumberSchema,
  router_id: ipv4Schema,
  keepalive_time: keepaliveSchema.optional(),
  hold_time: holdSchema.optional(),
  /** Networks that are announced if the host has a route to them. */
  networks: z.array(prefixSchema).max(LIST_MAX).default([]),
  /** The following members apply to both address families. */
  redistribute_connected: z.boolean().default(false),
  redistribute_static: z.boolean().default(false),
  redistribute_kernel: z.boolean().default(false),
  redistribute_local: z.boolean().default(false),
  maximum_paths: z.number().int().min(1).max(256).optional(),
  /** The distances of external, internal and local routes, such as 20-200-200. */
  administrative_distance: z
    .string()
    .max(11)
    .refine(
      (text) => ADMINISTRATIVE_DISTANCE.test(text) && text.split('-').every((one) => Number(one) <= 255),
      'must be three numbers from 1 to 255 such as 20-200-200',
    )
    .optional(),
  deterministic_med: z.boolean().default(false),
  always_compare_med: z.boolean().default(false),
  log_neighbor_changes: z.boolean().default(false),
  /** Without a policy, external neighbours neither send nor receive routes (RFC 8212). */
  ebgp_requires_policy: z.boolean().default(true),
  graceful_restart_enabled: z.boolean().default(false),
  graceful_restart_time: z.number().int().min(1).max(4095).optional(),
  stale_path_time: z.number().int().min(1).max(4095).optional(),
  preserve_forwarding_state: z.boolean().default(false),
  graceful_restart_disable: z.boolean().default(false),
  select_defer_time: z.number().int().min(0).max(3600).optional(),
  rib_stale_time: z.number().int().min(1).max(3600).optional(),
  neighbors: z.array(neighborSchema).max(LIST_MAX).default([]),
  peer_groups: z.array(peerGroupSchema).max(LIST_MAX).default([]),
  prefix_lists: z
    .array(prefixListSchema)
    .max(5 * LIST_MAX)
    .default([]),
  community_lists: z.array(communityListSchema).max(LIST_MAX).default([]),
  as_path_lists: z.array(asPathListSchema).max(LIST_MAX).default([]),
  route_maps: z.array(routeMapSchema).max(LIST_MAX).default([]),
  bfd_profiles: z.array(bfdProfileSchema).max(LIST_MAX).default([]),
  health_routes: z.array(healthRouteSchema).max(LIST_MAX).default([]),
});
export type BgpDocument = z.output<typeof bgpDocumentSchema>;
