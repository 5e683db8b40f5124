import { HA_HEARTBEAT_DEFAULT, HA_LIMITS } from '@flotilla/proto/commands';
import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, dryRunQuery, idSchema, listOf, nameSchema, observed, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';

export { HA_HEARTBEAT_DEFAULT, HA_LIMITS };

/** The first that applies: see `deriveStatus` of the controller. */
export const HA_STATUSES = [
  'split_brain',
  'no_active',
  'handing_over',
  'config_pending',
  'syncing',
  'degraded',
  'awaiting_peer',
  'failed_over',
  'live',
  'unknown',
] as const;
export const haStatusSchema = z.enum(HA_STATUSES);
export type HaStatus = z.infer<typeof haStatusSchema>;

export const HA_ROLES = ['init', 'active', 'standby', 'demoting', 'maintenance', 'fenced', 'unpaired'] as const;
export const haRoleSchema = z.enum(HA_ROLES);
export type HaRole = z.infer<typeof haRoleSchema>;

export const haAlarmSchema = z.object({
  code: z.string(),
  level: z.enum(['info', 'warn', 'error']),
  message: z.string(),
  client_id: idSchema.optional(),
  since: timeSchema.optional(),
});
export type HaAlarm = z.infer<typeof haAlarmSchema>;

const haPathSchema = z.object({
  network: z.enum(['data', 'mgmt']),
  local: z.string(),
  peer: z.string(),
  up: z.boolean(),
  last_rx_ms: z.number().nullable(),
  /** Percent of the newest heartbeats. */
  loss_pct: z.number(),
  rtt_ms: z.number().nullable(),
});

const haVipSchema = z.object({
  vip: z.string(),
  interface: z.string().optional(),
  service: z.string().optional(),
  admin_port: z.number().int().nullable(),
  /** The systemd unit or process of the proxy. */
  unit: z.string().nullable(),
  /** The service is deployed on the member. */
  present: z.boolean(),
  /** Its Envoy runs, and so does its filter if it has one. */
  healthy: z.boolean(),
  /** The member has the address. */
  held: z.boolean(),
  /** Healthy with the newest configuration. */
  ready: z.boolean(),
  holder: z.enum(['self', 'peer', 'none', 'conflict']),
});

/** The report of a member about itself. */
export const haMemberReportSchema = z.object({
  role: haRoleSchema,
  epoch: z.number().int(),
  since: timeSchema.nullable(),
  reason: z.string(),
  daemon: z.enum(['running', 'absent', 'stale', 'misconfigured']),
  peer_role: haRoleSchema.nullable(),
  peer_ok: z.boolean(),
  paths: z.array(haPathSchema),
  peer_dataplane: z.enum(['up', 'down', 'unknown']),
  gateway_reachable: z.boolean(),
  fencing_enabled: z.boolean(),
  config_rev_applied: z.number().int(),
  maintenance: z.boolean(),
  vips: z.array(haVipSchema),
  daemon_version: z.string(),
  clock_skew_ms: z.number(),
  alarms: z.array(haAlarmSchema),
  /** When the controller has received it. */
  reported_at: timeSchema,
});
export type HaMemberReport = z.infer<typeof haMemberReportSchema>;

export const haHeartbeatSchema = z.object({
  port: z.number().int(),
  interval_ms: z.number().int(),
  misses: z.number().int(),
});

const dataAddressSchema = z.object({ auto: z.string().optional(), prefix: z.string().optional() });
const mgmtAddressSchema = z.object({ auto: z.string().optional() });

const haMemberSchema = z.object({
  slot: z.union([z.literal(0), z.literal(1)]),
  client_id: idSchema,
  name: z.string(),
  priority: z.number().int(),
  /** The addresses that the agent has found; `prefix` in CIDR notation. */
  hb_addrs: z.object({ data: dataAddressSchema.optional(), mgmt: mgmtAddressSchema.optional() }),
  data_override: z.string().optional(),
  mgmt_override: z.string().optional(),
});

/** A change of a service that the other member has and this one still lacks. */
export const HA_SYNC_OPERATIONS = ['deploy', 'undeploy', 'start', 'stop', 'version'] as const;
const haPendingSchema = z.object({
  service_id: idSchema,
  service: z.string(),
  client_id: idSchema,
  client: z.string(),
  op: z.enum(HA_SYNC_OPERATIONS),
  since: timeSchema,
  attempts: z.number().int(),
  last_error: z.string().optional(),
  next_attempt_at: timeSchema.optional(),
});

export const haPairSchema = z.object({
  id: idSchema,
  name: z.string(),
  project: idSchema,
  members: z.array(haMemberSchema),
  hb: haHeartbeatSchema,
  fence_targets: z.array(z.string()),
  /** Addresses of routers that are informed directly of a take-over. */
  next_hops: z.array(z.string()).optional(),
  preempt: z.boolean(),
  config_rev: z.number().int(),
  /** `rotating` while the heartbeat key is replaced. */
  state: observed(z.enum(['ok', 'rotating'])),
  status: observed(haStatusSchema),
  status_reason: observed(z.string().optional()),
  /** Names of the members whose reports are missing or old. */
  missing: observed(z.array(z.string()).optional()),
  vacancy: z
    .object({
      slot: z.union([z.literal(0), z.literal(1)]),
      priority: z.number().int(),
      since: timeSchema.optional(),
      reason: z.string().optional(),
    })
    .optional(),
  /** By client id; a member that has never reported is not in it. */
  members_ha: observed(z.record(z.string(), haMemberReportSchema)),
  /** By client id. */
  connected: observed(z.record(z.string(), z.boolean())),
  sync: observed(z.object({ pending: z.array(haPendingSchema) })),
  service_count: observed(z.number().int()),
  alarms: observed(z.array(haAlarmSchema).optional()),
  created_at: timeSchema,
  updated_at: timeSchema,
  updated_by: z.string(),
});
export type HaPair = z.infer<typeof haPairSchema>;

/** Why a client cannot join a pair. */
export const HA_DISABLED_REASONS = [
  'not_appliance',
  'no_ha_address',
  'already_member',
  'not_connected',
  'has_services',
] as const;

export const haEligibleSchema = z.object({
  client_id: idSchema,
  name: z.string(),
  hostname: z.string(),
  connected: z.boolean(),
  service_count: z.number().int(),
  hb_addrs: haMemberSchema.shape.hb_addrs,
  selectable: z.boolean(),
  disabled_reason: z.enum(HA_DISABLED_REASONS).optional(),
});

/** The read model of the addresses that a pair serves, for screens and for DNS load balancing. */
export const haServiceSchema = z.object({
  service_id: idSchema,
  service: z.string(),
  version: z.string(),
  admin_port: z.number().int().nullable(),
  addresses: z.array(z.string()),
  /** The member that holds the addresses, if exactly one does. */
  holder: idSchema.optional(),
  /** The holder's proxy is ready. */
  healthy: z.boolean(),
  /** True while the addresses move, or if the pair should get no new clients. */
  draining: z.boolean(),
  members: z.array(
    z.object({
      client_id: idSchema,
      client: z.string(),
      deployed: z.boolean(),
      phase: z.string().nullable(),
      ready: z.boolean(),
    }),
  ),
});

/** A change of the role of a member, with what it knew. */
export const haRoleChangeSchema = z.object({
  at: timeSchema,
  client_id: idSchema,
  client: z.string(),
  from: haRoleSchema,
  role: haRoleSchema,
  epoch: z.number().int(),
  reason: z.string(),
  peer_role: haRoleSchema.nullable(),
  peer_epoch: z.number().int().nullable(),
  gateway_reachable: z.boolean(),
  /** How long the peer had been silent. */
  silent_ms: z.number().nullable(),
  /** Present for take-overs. */
  failover: z
    .object({
      from_client_id: idSchema.optional(),
      /** Time without a holder; negative: both had the addresses. Null: nobody knows when the earlier holder lost them. */
      gap_ms: z.number().nullable(),
      /** The longest time for which two members may have the addresses. */
      bound_ms: z.number(),
      invariant: z.enum(['kept', 'violated', 'unknown']),
    })
    .optional(),
  /** The epoch is below the highest one that the controller has seen. */
  stale_epoch: z.boolean(),
});
export type HaRoleChange = z.infer<typeof haRoleChangeSchema>;

const common = {
  tag: 'HA pairs',
  family: 'clients',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query',
} as const;
const BASE = '/api/v3/ha/pairs';
const PAIR = `${BASE}/:pair_id`;
const params = z.strictObject({ pair_id: idSchema });
const query = z.strictObject({ project: idSchema });
const writeQuery = z.strictObject({ project: idSchema, ...dryRunQuery });
const ipv4 = z.ipv4();
/** Ranges are checked later, with the specified messages. */
const priority = z.number().int();
const hb = z.strictObject({
  port: z.number().int().optional(),
  interval_ms: z.number().int().optional(),
  misses: z.number().int().optional(),
});
const fenceTargets = z.array(ipv4).max(HA_LIMITS.fenceTargetsMax);
const nextHops = z.array(ipv4).max(HA_LIMITS.nextHopsMax);
const ok = { status: 200, response: haPairSchema } as const;

/** Two appliance clients that share the addresses of their services. 503 without SVC_JWT_SECRET. */
export const haRoutes = {
  list: defineRoute({
    ...common,
    id: 'listHaPairs',
    method: 'GET',
    path: BASE,
    summary: 'List the HA pairs of a project',
    audit: null,
    query,
    status: 200,
    response: listOf(haPairSchema),
  }),
  eligible: defineRoute({
    ...common,
    id: 'listHaCandidates',
    method: 'GET',
    path: `${BASE}/eligible`,
    summary: 'List the clients of a project with whether they can join a pair, and why not',
    audit: null,
    /** `for_pair` is the pair that the client would join. */
    query: z.strictObject({ project: idSchema, for_pair: idSchema.optional() }),
    status: 200,
    response: listOf(haEligibleSchema),
  }),
  read: defineRoute({
    ...common,
    id: 'readHaPair',
    method: 'GET',
    path: PAIR,
    summary: 'Read an HA pair with what its members report',
    audit: null,
    params,
    query,
    ...ok,
  }),
  create: defineRoute({
    ...common,
    id: 'createHaPair',
    method: 'POST',
    path: BASE,
    project: 'body',
    summary: 'Create an HA pair from one or two clients',
    audit: 'ha_pair.create',
    query: z.strictObject({ project: idSchema.optional(), ...dryRunQuery }),
    body: z.strictObject({
      name: nameSchema,
      /** Here or in the query. */
      project: idSchema.optional(),
      members: z
        .array(z.strictObject({ client_id: idSchema, priority, data_override: ipv4.optional() }))
        .min(1)
        .max(2),
      hb: hb.optional(),
      fence_targets: fenceTargets.optional(),
      next_hops: nextHops.optional(),
      preempt: z.boolean().optional(),
    }),
    status: 201,
    response: haPairSchema,
  }),
  update: defineRoute({
    ...common,
    id: 'updateHaPair',
    method: 'PUT',
    path: PAIR,
    summary: 'Change an HA pair; members that are left out or null stay as they are',
    audit: 'ha_pair.update',
    params,
    query: writeQuery,
    body: z.strictObject({
      name: nameSchema.nullish(),
      members: z
        .array(
          z.strictObject({
            client_id: idSchema,
            priority: priority.nullish(),
            /** The empty text removes the override. */
            data_override: z.union([ipv4, z.literal('')]).nullish(),
            mgmt_override: z.union([ipv4, z.literal('')]).nullish(),
            /** These can only be sent back as they were read. */
            slot: z.number().int().optional(),
            name: z.string().max(256).optional(),
            hb_addrs: haMemberSchema.shape.hb_addrs.optional(),
          }),
        )
        .max(2)
        .nullish(),
      hb: hb.nullish(),
      fence_targets: fenceTargets.nullish(),
      next_hops: nextHops.nullish(),
      preempt: z.boolean().nullish(),
      rotate_secret: z.boolean().nullish(),
    }),
    ...ok,
  }),
  remove: defineRoute({
    ...common,
    id: 'deleteHaPair',
    method: 'DELETE',
    path: PAIR,
    summary: 'Delete an HA pair; with force, its services stay on one member',
    audit: 'ha_pair.delete',
    params,
    query: z.strictObject({ project: idSchema, force: booleanQuerySchema.optional(), ...dryRunQuery }),
    status: 204,
  }),
  addMember: defineRoute({
    ...common,
    id: 'addHaMember',
    method: 'POST',
    path: `${PAIR}/members`,
    summary: 'Fill the vacant slot of an HA pair',
    audit: 'ha_pair.add_member',
    params,
    query: writeQuery,
    body: z.strictObject({
      client_id: idSchema,
      priority,
      /** The cloud interface of each service, for members in a cloud. */
      interfaces: z.record(z.string().max(128), z.string().max(128)).optional(),
    }),
    ...ok,
  }),
  failover: defineRoute({
    ...common,
    id: 'failOverHaPair',
    method: 'POST',
    path: `${PAIR}/failover`,
    summary: 'Move the addresses of an HA pair to the other member',
    rate: 'command',
    audit: 'ha_pair.failover',
    params,
    query: writeQuery,
    body: z.strictObject({ force: z.boolean().optional() }).prefault({}),
    ...ok,
  }),
  maintenance: defineRoute({
    ...common,
    id: 'setHaMaintenance',
    method: 'POST',
    path: `${PAIR}/maintenance`,
    summary: 'Begin or end the maintenance of a member, which never takes the addresses then',
    rate: 'command',
    audit: 'ha_pair.maintenance',
    params,
    query: writeQuery,
    body: z.strictObject({ client_id: idSchema, enabled: z.boolean(), force: z.boolean().optional() }),
    ...ok,
  }),
  push: defineRoute({
    ...common,
    id: 'pushHaPair',
    method: 'POST',
    path: `${PAIR}/push`,
    summary: 'Send the configuration of an HA pair to its connected members again',
    audit: 'ha_pair.push',
    params,
    query: writeQuery,
    ...ok,
  }),
  sync: defineRoute({
    ...common,
    id: 'syncHaPair',
    method: 'POST',
    path: `${PAIR}/sync`,
    summary: 'Retry the service work that a member of an HA pair still lacks, in the background',
    audit: 'ha_pair.sync',
    params,
    query: writeQuery,
    status: 202,
    response: haPairSchema.shape.sync,
  }),
  services: defineRoute({
    ...common,
    id: 'listHaServices',
    method: 'GET',
    path: `${PAIR}/services`,
    summary: 'List the services of an HA pair with their addresses, their holder and their health',
    audit: null,
    params,
    query,
    status: 200,
    response: listOf(haServiceSchema),
  }),
  history: defineRoute({
    ...common,
    id: 'listHaHistory',
    method: 'GET',
    path: `${PAIR}/history`,
    summary: 'List the changes of roles in an HA pair, newest first, with the gap and the check of every take-over',
    audit: null,
    params,
    query: z.strictObject({ project: idSchema, limit: z.coerce.number().int().min(1).max(500).optional() }),
    status: 200,
    response: listOf(haRoleChangeSchema),
  }),
};

export const haTopics = [
  /** The pair, its members' roles, its alarms or its pending work have changed. */
  defineTopic('ha_pair', 'admins', { id: idSchema.optional() }),
] as const;

export const haAuditWords = defineAuditWords({
  actions: {
    'ha_pair.create': 'create HA pair',
    'ha_pair.update': 'change HA pair',
    'ha_pair.delete': 'delete HA pair',
    'ha_pair.add_member': 'add a member to HA pair',
    'ha_pair.failover': 'fail over HA pair',
    'ha_pair.arbitrate': 'let one of two active members yield in HA pair',
    'ha_pair.maintenance': 'change the maintenance of a member of HA pair',
    'ha_pair.push': 'send the configuration of HA pair again',
    'ha_pair.sync': 'retry the work of HA pair',
  },
});
