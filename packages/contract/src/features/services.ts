import * as z from 'zod';
import { idSchema, nameSchema, observed, timeSchema } from '../schemas.ts';
import { configErrorSchema } from './config-errors.ts';
import { changeSchema, proxyVersionSchema } from './documents.ts';

export const ADMIN_PORT_MIN = 33_100;
export const ADMIN_PORT_MAX = 39_999;
export const SERVICE_CLIENTS_MAX = 1000;

/** Words of the specification, table "Service status". */
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
  clients: z.array(serviceClientSchema).max(SERVICE_CLIENTS_MAX).default([]),
};

/** For POST, PUT and a merged PATCH; `project`, when sent, must be the project of the request. */
export const serviceWriteSchema = z.strictObject({ ...serviceFields, project: idSchema.optional() });
export type ServiceWrite = z.infer<typeof serviceWriteSchema>;

/** What the record says of one target beyond the document. */
export const serviceTargetSchema = z.object({
  client_id: idSchema,
  client_name: z.string(),
  admin_port: z.number().int().nullable(),
  /** False: listed, its port reserved, but DEPLOY has not been asked for. */
  deployed: z.boolean(),
  connected: observed(z.boolean()),
  run_state: z.enum(['running', 'stopped']),
  /** Proxy version wanted there: the service's own unless DATAPLANE_VERSION set another. */
  envoy_version: z.string(),
  generation: z.number().int(),
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
  clients: z.array(z.object({ client_id: idSchema, addresses: z.array(z.string()) })),
  status: observed(serviceStatusSchema),
  targets: z.array(serviceTargetSchema),
  revision: z.number().int(),
  created_at: timeSchema,
  updated_at: timeSchema,
  updated_by: z.string(),
  /** Of a dry run that changes a service: what would differ, by path. */
  diff: observed(z.array(changeSchema).optional()),
  /** Of such a dry run: node ids of the proxies that the change would reach. */
  nodes: observed(z.array(z.string()).optional()),
});
export type ServiceRecord = z.infer<typeof serviceSchema>;

export const serviceListItemSchema = z.object({
  id: idSchema,
  name: z.string(),
  status: serviceStatusSchema,
  version: z.string(),
  project: idSchema,
  /** Number of clients it is deployed to. */
  deployed: z.number().int(),
  ip_addresses: z.array(z.string()),
  /** Of the first target; clients may differ, see `targets`. */
  admin_port: z.number().int().nullable(),
  targets: z.array(serviceTargetSchema),
  /** Configuration errors that are not resolved. */
  active_errors: z.number().int(),
  revision: z.number().int(),
  updated_at: timeSchema,
});

export const RESOURCE_STATES = ['waiting', 'sent', 'acknowledged', 'warmed', 'refused', 'held', 'unspecified'] as const;
export const NODE_PHASES = ['preparing', 'running', 'stopped', 'failed', 'removed'] as const;

export const nodeResourceSchema = z.object({
  type: z.string(),
  name: z.string(),
  /** Content digest that is wanted, and the one that Envoy runs (null: none). */
  version: z.string(),
  live_version: z.string().nullable(),
  state: z.enum(RESOURCE_STATES),
  reason: z.string().nullable(),
});

export const SELF_TEST_STATES = ['ok', 'unknown', 'failing'] as const;

/** What the filter of a node says of its wiring and its threads. */
export const selfTestFields = {
  /**
   * `failing`: Envoy is configured so that the filter cannot do its work, as `shield_problems` says in words; `unknown`:
   * too little traffic was seen. Null: nothing was reported.
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
  /** Wanted and applied; equal when the client has converged. */
  generation: z.number().int(),
  applied_generation: z.number().int(),
  /** Null: the client has not said anything of this service yet. */
  phase: z.enum(NODE_PHASES).nullable(),
  since: timeSchema.nullable(),
  reported_at: timeSchema.nullable(),
  envoy_version_wanted: z.string(),
  /** Running now; null when none does. */
  envoy_version: z.string().nullable(),
  /** Of the bundle that the filter runs; null when there is none. */
  policy_digest: z.string().nullable(),
  policy_error: z.string().nullable(),
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
