import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { idSchema, nameSchema, observed, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { configErrorSchema } from './config-errors.ts';
import { changeSchema, proxyVersionSchema } from './documents.ts';
import { healthSchema, nodeHealthFields, nodeHealthSchema } from './health.ts';

export const ADMIN_PORT_MIN = 33_100;
export const ADMIN_PORT_MAX = 39_999;
export const SERVICE_CLIENTS_MAX = 1000;

/** The values of the specification, table "Service status". */
export const SERVICE_STATUSES = ['Live', 'Partial', 'Offline', 'Not Deployed'] as const;
export const serviceStatusSchema = z.enum(SERVICE_STATUSES);
export type ServiceStatus = z.infer<typeof serviceStatusSchema>;

export const addressSchema = z.union([z.ipv4(), z.ipv6()], 'an IPv4 or IPv6 address');

const serviceClientSchema = z.strictObject({
  client_id: idSchema,
  addresses: z.array(addressSchema).max(64).default([]),
});

const serviceFields = {
  name: nameSchema,
  version: proxyVersionSchema,
  bootstrap: nameSchema,
  listeners: z.array(nameSchema).max(500).default([]),
  policies: z.array(nameSchema).max(100).default([]),
  shield: z
    .strictObject({
      threads: z.number().int().min(1).max(64).default(1),
      xff_trusted_hops: z.number().int().min(0).max(32).default(0),
    })
    .default({ threads: 1, xff_trusted_hops: 0 }),
  /** All listeners record their requests and connections, for the inventory of the project. */
  api_discovery: z.boolean().default(false),
  clients: z.array(serviceClientSchema).max(SERVICE_CLIENTS_MAX).default([]),
};

/** For POST, PUT and a merged PATCH. `project` must be the project of the request. */
export const serviceWriteSchema = z.strictObject({ ...serviceFields, project: idSchema.optional() });
export type ServiceWrite = z.infer<typeof serviceWriteSchema>;

/** The state of one target, beyond the document. */
export const serviceTargetSchema = z.object({
  client_id: idSchema,
  client_name: z.string(),
  admin_port: z.number().int().nullable(),
  /** False: listed with a reserved port, but not deployed yet. */
  deployed: z.boolean(),
  connected: observed(z.boolean()),
  run_state: z.enum(['running', 'stopped']),
  /** Desired proxy version: the service's own unless DATAPLANE_VERSION or UPGRADE_LISTENER set another. */
  envoy_version: z.string(),
  /** How long a replaced Envoy may finish its connections; UPGRADE_LISTENER sets it. */
  drain_time_seconds: z.number().int(),
  generation: z.number().int(),
  /** By the last report of its agent; null: not deployed. */
  state: observed(nodeHealthSchema.nullable()),
});

export const serviceSchema = z.object({
  id: idSchema,
  name: z.string(),
  version: z.string(),
  project: idSchema,
  bootstrap: z.string(),
  listeners: z.array(z.string()),
  policies: z.array(z.string()),
  shield: z.object({ threads: z.number().int(), xff_trusted_hops: z.number().int() }),
  api_discovery: z.boolean(),
  clients: z.array(z.object({ client_id: idSchema, addresses: z.array(z.string()) })),
  /** Follows from the connections of its clients alone; `health` is about what they serve. */
  status: observed(serviceStatusSchema),
  health: observed(healthSchema),
  /** Listeners of the service that bind to `@client`: each client needs an address for them. */
  client_listeners: observed(z.array(z.string())),
  /** Ids of listed clients without an address, if `client_listeners` is not empty. */
  missing_addresses: observed(z.array(idSchema)),
  targets: z.array(serviceTargetSchema),
  revision: z.number().int(),
  created_at: timeSchema,
  updated_at: timeSchema,
  updated_by: z.string(),
  /** In the answer to a dry run that changes a service: the differences by path. */
  diff: observed(z.array(changeSchema).optional()),
  /** In the same answer: node ids of the proxies that would get the change. */
  nodes: observed(z.array(z.string()).optional()),
});
export type ServiceRecord = z.infer<typeof serviceSchema>;

export const serviceListItemSchema = z.object({
  id: idSchema,
  name: z.string(),
  status: serviceStatusSchema,
  health: healthSchema,
  client_listeners: z.array(z.string()),
  missing_addresses: z.array(idSchema),
  version: z.string(),
  project: idSchema,
  listeners: z.array(z.string()),
  /** Number of clients that it is deployed to. */
  deployed: z.number().int(),
  ip_addresses: z.array(z.string()),
  /** The port of the first target; clients may differ, see `targets`. */
  admin_port: z.number().int().nullable(),
  targets: z.array(serviceTargetSchema),
  /** Number of unresolved configuration errors. */
  active_errors: z.number().int(),
  api_discovery: z.boolean(),
  revision: z.number().int(),
  updated_at: timeSchema,
});

export const RESOURCE_STATES = ['waiting', 'sent', 'acknowledged', 'warmed', 'refused', 'held', 'unspecified'] as const;
export const NODE_PHASES = ['preparing', 'running', 'stopped', 'failed', 'removed'] as const;

export const nodeResourceSchema = z.object({
  type: z.string(),
  name: z.string(),
  /** Desired content digest, and the one that Envoy runs (null: none). */
  version: z.string(),
  live_version: z.string().nullable(),
  state: z.enum(RESOURCE_STATES),
  reason: z.string().nullable(),
});

export const SELF_TEST_STATES = ['ok', 'unknown', 'failing'] as const;

/** The filter's report about its wiring and its threads. */
export const selfTestFields = {
  /**
   * `failing`: Envoy's configuration keeps the filter from working, and `shield_problems` explains why; `unknown`: there was
   * too little traffic. Null: no report.
   */
  self_test: z.enum(SELF_TEST_STATES).nullable(),
  shield_problems: z.array(z.string()),
};

export const nodeStateSchema = z.object({
  client_id: idSchema,
  client_name: z.string(),
  connected: z.boolean(),
  node_id: z.string(),
  addresses: z.array(z.string()),
  admin_port: z.number().int().nullable(),
  deployed: z.boolean(),
  run_state: z.enum(['running', 'stopped']),
  ...nodeHealthFields,
  /** Desired and applied; equal if the client has converged. */
  generation: z.number().int(),
  applied_generation: z.number().int(),
  /** Null: the client has not reported on this service yet. */
  phase: z.enum(NODE_PHASES).nullable(),
  since: timeSchema.nullable(),
  reported_at: timeSchema.nullable(),
  envoy_version_wanted: z.string(),
  /** Running version; null if no Envoy runs. */
  envoy_version: z.string().nullable(),
  drain_time_seconds: z.number().int(),
  /** Digest of the bundle that the filter runs; null if it has none. */
  policy_digest: z.string().nullable(),
  policy_error: z.string().nullable(),
  /** Why the admin port does not lead to this Envoy, for example because another program uses it. Null: it does, or no report. */
  admin_error: z.string().nullable(),
  bootstrap_digest: z.string().nullable(),
  shield_running: z.boolean(),
  ...selfTestFields,
  restarts: z.number().int(),
  error: z.string().nullable(),
  rollout: z
    .object({
      state: z.enum(['in_progress', 'live', 'partial', 'unspecified']),
      snapshot_version: z.string(),
      at: timeSchema,
      resources: z.array(nodeResourceSchema),
    })
    .nullable(),
});

export const serviceDetailSchema = z.object({
  service: serviceSchema,
  nodes: z.array(nodeStateSchema),
  errors: z.array(configErrorSchema),
});

export const serviceRevisionSchema = z.object({
  revision: z.number().int(),
  at: timeSchema,
  by: z.string(),
  document: z.record(z.string(), z.unknown()),
});

export const servicesTopics = [
  /** The record, its targets or what it should run. Its status also follows from `client` connected and disconnected. */
  defineTopic('service', 'members', { service_id: idSchema.optional() }),
  /** The agent's report of one service on one client: phase, versions, rollout. */
  defineTopic('node', 'members', { service_id: idSchema.optional(), client_id: idSchema.optional() }),
] as const;

export const servicesAuditWords = defineAuditWords({
  nouns: {
    services: 'service',
  },
});
