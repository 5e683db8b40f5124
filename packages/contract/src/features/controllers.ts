import * as z from 'zod';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, timeSchema } from '../schemas.ts';

const count = z.number().int();
const seconds = z.number();
const optionalText = z.string().nullable();

/** What a controller said of itself last. */
const loadSchema = z.object({
  /** Of one core. */
  cpu: z.number(),
  rss_bytes: count,
  /** Agents that have their command stream at this controller. */
  agents: count,
  /** Streams of events to those who watch. */
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
  /** Of two controllers the one that began later has the higher. */
  epoch: count,
  is_leader: z.boolean(),
  /** Null where one project was asked for: it is of all projects. */
  load: loadSchema.nullable(),
  started_at: timeSchema,
  last_seen: timeSchema,
  uptime_sec: seconds,
  last_seen_age_sec: seconds,
  /** False: it is gone, and may be taken away. */
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
  /** Grows with every controller that takes the lead. */
  fence: count,
  /** What only the leader does. */
  duties: z.array(z.string()),
});

/** So many connections of clients are named at most; the count is of all. */
export const REGISTRY_CLIENTS_MAX = 1000;

const shared = {
  tag: 'Controllers',
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
    summary: 'Controllers, what they serve agents and proxies at, and which client is connected to which',
    ...shared,
    status: 200,
    response: z.object({
      /** Of the controller that answers; the registry is in the database, and the same at each. */
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
      /** Connected now, of the project or, without one, of all. */
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
    summary: 'The controllers of this installation and who leads',
    ...shared,
    status: 200,
    response: z.object({
      instances: z.array(controllerSchema),
      leader: leaderSchema.nullable(),
      instance_count: count,
      has_leader: z.boolean(),
      /** A controller that was silent for longer is gone. */
      silent_after_sec: seconds,
    }),
  }),
  remove: defineRoute({
    id: 'removeController',
    method: 'DELETE',
    path: '/api/v3/registry/controller/:controller_id',
    summary: 'Takes away a controller that is gone; one that was only asleep ends its work when it wakes',
    tag: 'Controllers',
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
    summary: 'The same, by the name that it has as a control plane: a controller is both',
    tag: 'Controllers',
    access: { kind: 'system_owner' },
    project: 'none',
    audit: 'controller.remove',
    params: z.strictObject({ control_plane_id: idSchema }),
    query: z.strictObject(dryRunQuery),
    status: 204,
  }),
};
