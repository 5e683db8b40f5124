import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { serviceStatusSchema } from './services.ts';

export const CLIENT_STATUSES = ['Live', 'Offline'] as const;

const usageSchema = z.object({
  at: timeSchema,
  /** Load average over five minutes per core, in percent. */
  cpu_percent: z.number(),
  memory_percent: z.number(),
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
  provider: z.string(),
  bgp: z.boolean(),
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
      /** `q` searches name, client id, hostname, OS, architecture, version and service addresses. */
      ...listQuery,
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
    'xds.connect': 'connect a proxy of client',
    'xds.node_refused': 'connect as a proxy of another client',
  },
});
