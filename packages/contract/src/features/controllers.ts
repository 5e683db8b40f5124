import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';

const count = z.number().int();
const seconds = z.number();
const optionalText = z.string().nullable();

/** The last report of a controller about itself. */
const loadSchema = z.object({
  /** Share of one core. */
  cpu: z.number(),
  rss_bytes: count,
  /** Agents with their command stream at this controller. */
  agents: count,
  /** Open event streams. */
  streams: count,
  jobs: count,
});

export const controllerSchema = z.object({
  id: idSchema,
  hostname: z.string(),
  version: z.string(),
  /** Null while it does not listen. */
  rest_addr: optionalText,
  grpc_addr: optionalText,
  /** api, agents, jobs. */
  roles: z.array(z.string()),
  /** Higher for a controller that started later. */
  epoch: count,
  is_leader: z.boolean(),
  /** Null if the request names a project, because the load is that of all projects. */
  load: loadSchema.nullable(),
  started_at: timeSchema,
  last_seen: timeSchema,
  uptime_sec: seconds,
  last_seen_age_sec: seconds,
  /** False: it is gone and may be deleted. */
  live: z.boolean(),
});
export type ControllerView = z.infer<typeof controllerSchema>;

const leaderSchema = z.object({
  holder_id: idSchema,
  hostname: z.string(),
  acquired_at: timeSchema,
  expires_at: timeSchema,
  lease_remaining_sec: seconds,
  lease_valid: z.boolean(),
  /** Grows with every change of leader. */
  fence: count,
  /** Tasks that only the leader runs. */
  duties: z.array(z.string()),
});

/** Maximum number of client connections in an answer; the count includes all. */
export const REGISTRY_CLIENTS_MAX = 1000;

const shared = {
  tag: 'Controllers',
  family: 'maintenance',
  access: { kind: 'roles', roles: ADMINS },
  project: 'query_or_all',
  audit: null,
  query: z.strictObject({ project: idSchema.optional() }),
} as const;

export const controllerRoutes = {
  data: defineRoute({
    id: 'getRegistryData',
    method: 'GET',
    path: '/api/v3/registry/data',
    summary: 'List the controllers, their addresses for agents and proxies, and the clients that are connected to each',
    ...shared,
    status: 200,
    response: z.object({
      /** About the controller that answers. The registry is in the database and the same for all controllers. */
      registry: z.object({ controller_id: idSchema, address: optionalText, status: z.literal('up') }),
      controllers: z.array(
        z.object({
          controller_id: idSchema,
          http_address: optionalText,
          version: z.string(),
          last_seen: timeSchema,
          live: z.boolean(),
        }),
      ),
      control_planes: z.array(
        z.object({
          control_plane_id: idSchema,
          grpc_address: optionalText,
          version: z.string(),
          last_seen: timeSchema,
          live: z.boolean(),
        }),
      ),
      /** Currently connected clients of the project or, without one, of all projects. */
      clients: z.array(
        z.object({
          client_id: idSchema,
          name: z.string(),
          project: idSchema,
          controller_id: idSchema,
          connected_at: timeSchema.nullable(),
        }),
      ),
      clients_total: count,
    }),
  }),
  instances: defineRoute({
    id: 'listControllers',
    method: 'GET',
    path: '/api/v3/registry/instances',
    summary: 'List the controllers of this installation and its leader',
    ...shared,
    status: 200,
    response: z.object({
      instances: z.array(controllerSchema),
      leader: leaderSchema.nullable(),
      instance_count: count,
      has_leader: z.boolean(),
      /** A controller that is silent for longer counts as gone. */
      silent_after_sec: seconds,
    }),
  }),
  remove: defineRoute({
    id: 'removeController',
    method: 'DELETE',
    path: '/api/v3/registry/controller/:controller_id',
    summary: 'Delete the entry of a lost controller; a controller that was only suspended stops when it wakes up',
    tag: 'Controllers',
    family: 'maintenance',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: 'controller.remove',
    params: z.strictObject({ controller_id: idSchema }),
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
  removeControlPlane: defineRoute({
    id: 'removeControlPlane',
    method: 'DELETE',
    path: '/api/v3/registry/control-plane/:control_plane_id',
    summary: 'Alias with the name of a control plane: a controller is both',
    tag: 'Controllers',
    family: 'maintenance',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: 'controller.remove',
    params: z.strictObject({ control_plane_id: idSchema }),
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};

export const controllersAuditWords = defineAuditWords({
  actions: {
    'controller.remove': 'remove controller',
  },
});
