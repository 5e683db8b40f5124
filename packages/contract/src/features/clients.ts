import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { clientLabelSchema, clientLabelsSchema, labelSelectorSchema, labelValueSchema } from './client-labels.ts';
import { serviceStatusSchema } from './services.ts';

export const CLIENT_STATUSES = ['Live', 'Offline'] as const;

const usageSchema = z.object({
  at: timeSchema,
  /** Load average over five minutes per core, in percent. */
  cpu_percent: z.number(),
  memory_percent: z.number(),
});

/** A fact, and where the agent has read it. */
const factSchema = z.object({ value: z.string(), source: z.string() });

/**
 * found          the machine names one provider
 * none           nothing about the machine names a known provider
 * contradicting  there are signs of more than one provider
 * off            detection is turned off on the host
 * unreported     the agent is older, or has not looked yet
 */
export const CLOUD_DETECTIONS = ['found', 'none', 'contradicting', 'off', 'unreported'] as const;

const cloudSchema = z.object({
  detection: z.enum(CLOUD_DETECTIONS),
  provider: factSchema.nullable(),
  server_id: factSchema.nullable(),
  /** Project, account, subscription or compartment, as the provider calls it. */
  project: factSchema.nullable(),
  /** Why the provider is not known. */
  reason: z.string().nullable(),
});

const capabilitySchema = z.object({
  name: z.string(),
  available: z.boolean(),
  /** Says what the agent has found, or what is missing and how to install it. */
  detail: z.string(),
});

const identity = {
  client_id: idSchema,
  name: z.string(),
  project: idSchema,
  status: z.enum(CLIENT_STATUSES),
  connected: z.boolean(),
  hostname: z.string(),
  os: z.string(),
  arch: z.string(),
};

export const clientListItemSchema = z.object({
  ...identity,
  version: z.string(),
  /** Null: the machine does not tell; see `cloud` of the client. */
  provider: z.string().nullable(),
  labels: z.record(z.string(), z.string()),
  /** Number of different service addresses; `with_service_ips=true` lists them. */
  service_ip_count: z.number().int(),
  service_ips: z.array(z.string()).optional(),
  /** Null: never reported. */
  cpu_percent: z.number().nullable(),
  memory_percent: z.number().nullable(),
  stats_at: timeSchema.nullable(),
  last_seen: timeSchema.nullable(),
});

export const clientSchema = z.object({
  ...identity,
  kernel: z.string(),
  version: z.string(),
  /** The same as `cloud.provider.value`. */
  provider: z.string().nullable(),
  cloud: cloudSchema,
  hypervisor: factSchema.nullable(),
  /** Whether a BGP daemon runs on the host. Null: the agent does not know. */
  bgp: z.boolean().nullable(),
  bgp_source: z.string().nullable(),
  /** Null: the agent is older and does not report any. */
  capabilities: z.array(capabilitySchema).nullable(),
  /** Sorted by key. */
  labels: z.array(clientLabelSchema),
  /** The agent reports this of itself. */
  metadata: z.record(z.string(), z.string()),
  cores: z.number().int(),
  memory_bytes: z.number().int(),
  runtime_dir: z.string(),
  data_dir: z.string(),
  last_seen: timeSchema.nullable(),
  connect_time: timeSchema.nullable(),
  connect_reason: z.string().nullable(),
  disconnect_time: timeSchema.nullable(),
  disconnect_reason: z.string().nullable(),
  created_at: timeSchema,
  usage: usageSchema.nullable(),
  /** The last sample as the agent sent it. */
  stats: z.record(z.string(), z.unknown()).nullable(),
  services: z.array(
    z.object({
      id: idSchema,
      name: z.string(),
      version: z.string(),
      status: serviceStatusSchema,
      deployed: z.boolean(),
      admin_port: z.number().int().nullable(),
      addresses: z.array(z.string()),
      phase: z.string().nullable(),
      envoy_version: z.string().nullable(),
    }),
  ),
});

const access = { kind: 'roles', roles: ADMINS } as const;
const params = z.strictObject({ client_id: idSchema });

export const clientRoutes = {
  list: defineRoute({
    id: 'listClients',
    method: 'GET',
    path: '/api/op/clients',
    summary: 'List the clients of a project with load, memory and time of the last report',
    tag: 'Clients',
    family: 'clients',
    access,
    project: 'query',
    audit: null,
    query: z.strictObject({
      /** `q` searches name, client id, hostname, OS, architecture, version, service addresses, cloud and labels. */
      ...listQuery,
      /** `KEY=VALUE`, or `KEY` for any value. All of them have to match. */
      label: repeatable(labelSelectorSchema).optional(),
      with_service_ips: booleanQuerySchema.optional(),
      status: repeatable(z.enum(CLIENT_STATUSES)).optional(),
      with_total: booleanQuerySchema.optional(),
    }),
    status: 200,
    response: listOf(clientListItemSchema),
  }),
  read: defineRoute({
    id: 'readClient',
    method: 'GET',
    path: '/api/op/clients/:client_id',
    summary: 'Read all facts of a client and the services on it',
    tag: 'Clients',
    family: 'clients',
    access,
    project: 'query',
    needs: { kind: 'client', level: 'view', param: 'client_id', by: 'id' },
    audit: null,
    params,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: clientSchema,
  }),
  listLabels: defineRoute({
    id: 'listClientLabels',
    method: 'GET',
    path: '/api/op/client-labels',
    summary: 'List the labels of the clients, those of the most clients first',
    tag: 'Clients',
    family: 'clients',
    access,
    project: 'query',
    audit: null,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: listOf(z.object({ key: z.string(), value: z.string(), clients: z.number().int() })),
  }),
  setLabels: defineRoute({
    id: 'setClientLabels',
    method: 'PATCH',
    path: '/api/op/clients/:client_id/labels',
    summary: 'Set and remove labels of a client; the others stay',
    tag: 'Clients',
    family: 'clients',
    access,
    project: 'query',
    needs: { kind: 'client', level: 'change', param: 'client_id', by: 'id' },
    audit: 'client.label',
    params,
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    /** Null removes a label. */
    body: z.strictObject({ labels: clientLabelsSchema(labelValueSchema.nullable()) }),
    status: 200,
    response: z.object({ labels: z.array(clientLabelSchema) }),
  }),
  remove: defineRoute({
    id: 'deleteClient',
    method: 'DELETE',
    path: '/api/op/clients/:client_id',
    summary: 'Remove a client for good and revoke its certificates',
    tag: 'Clients',
    family: 'clients',
    access,
    project: 'target',
    needs: { kind: 'client', level: 'change', param: 'client_id', by: 'id' },
    audit: 'client.delete',
    params,
    query: z.strictObject({
      project: idSchema.optional(),
      /** Also removes the client from the services that target it. */
      force: booleanQuerySchema.optional(),
      ...dryRunQuery,
    }),
    status: 204,
  }),
};

export const clientsTopics = [
  /** Only owners and admins get `stats`. */
  defineTopic('client', 'members', {
    client_id: idSchema.optional(),
    change: z.enum(['connected', 'disconnected', 'facts', 'stats', 'removed']).optional(),
  }),
] as const;

export const clientsAuditWords = defineAuditWords({
  actions: {
    'client.connect': 'connect client',
    'client.delete': 'remove client',
    'client.label': 'change the labels of client',
    'client.push_logs': 'send access logs of client',
    'xds.connect': 'connect a proxy of client',
    'xds.node_refused': 'connect as a proxy of another client',
  },
});
