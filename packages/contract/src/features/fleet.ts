import * as z from 'zod';
import type { RouteFamily } from '../families.ts';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { booleanQuerySchema, idSchema, LIST_LIMIT_MAX, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { CLIENT_STATUSES, clientListItemSchema, clientSchema } from './clients.ts';
import { CONFIG_ERROR_SEVERITIES, CONFIG_ERROR_STATUSES, configErrorSchema } from './config-errors.ts';
import { healthStateSchema } from './health.ts';
import {
  nodeStateSchema,
  SERVICE_STATUSES,
  serviceListItemSchema,
  serviceSchema,
  serviceTargetSchema,
} from './services.ts';

// These records leave out what only owners and admins may see: ports of admin endpoints, addresses, facts of hosts and dates of
// certificates.

const count = z.number().int();

const fleetTargetSchema = serviceTargetSchema.omit({ admin_port: true });

export const fleetServiceItemSchema = serviceListItemSchema
  .omit({ ip_addresses: true, admin_port: true, targets: true, client_listeners: true, missing_addresses: true })
  .extend({
    /** Number of connected clients among those that it is deployed to. */
    connected: count,
    targets: z.array(fleetTargetSchema),
  });

const fleetServiceSchema = serviceSchema
  .omit({ clients: true, targets: true, diff: true, nodes: true, client_listeners: true, missing_addresses: true })
  .extend({ targets: z.array(fleetTargetSchema) });

export const fleetServiceDetailSchema = z.object({
  service: fleetServiceSchema,
  nodes: z.array(nodeStateSchema.omit({ addresses: true, admin_port: true })),
  /** Active errors, newest first; at most 500. */
  errors: z.array(configErrorSchema),
});

const clientIdentity = { client_id: true, name: true, project: true, status: true, connected: true } as const;

export const fleetClientItemSchema = clientListItemSchema.pick({ ...clientIdentity, last_seen: true }).extend({
  /** Services that list it and that the caller may see. */
  services: z.array(z.object({ id: idSchema, name: z.string(), deployed: z.boolean() })),
});

export const fleetClientSchema = clientSchema
  .pick({
    ...clientIdentity,
    last_seen: true,
    connect_time: true,
    connect_reason: true,
    disconnect_time: true,
    disconnect_reason: true,
    created_at: true,
  })
  .extend({ services: z.array(clientSchema.shape.services.element.omit({ admin_port: true, addresses: true })) });

const firstOf = <T extends z.ZodType>(item: T) => z.object({ total: count, items: z.array(item) });

export const fleetSchema = z.object({
  at: timeSchema,
  services: firstOf(fleetServiceItemSchema),
  clients: firstOf(fleetClientItemSchema),
  /** Active configuration errors of all services that the caller may see, listed here or not. */
  errors: firstOf(configErrorSchema),
});
export type Fleet = z.infer<typeof fleetSchema>;

const common = {
  method: 'GET',
  tag: 'Fleet',
  family: null,
  access: { kind: 'roles', roles: READERS },
  project: 'query',
  audit: null,
  status: 200,
} as const;
const inFamily = (family: RouteFamily) => ({ ...common, family });

export const fleetRoutes = {
  read: defineRoute({
    ...common,
    id: 'readFleet',
    path: '/api/v3/fleet',
    summary: 'Read the first services, clients and open configuration errors of a project, for every role',
    query: z.strictObject({
      project: idSchema,
      /** Limit for each list. /api/v3/fleet/services, clients and errors have the rest. */
      limit: z.coerce.number().int().min(1).max(LIST_LIMIT_MAX).optional(),
    }),
    response: fleetSchema,
  }),
  services: defineRoute({
    ...inFamily('services'),
    id: 'listFleetServices',
    path: '/api/v3/fleet/services',
    summary: 'List the services of a project with status, connected clients and open errors, for every role',
    query: z.strictObject({
      ...listQuery,
      /** Part of the name, without regard to case. */
      name: z.string().max(128).optional(),
      version: repeatable(z.string().max(32)).optional(),
      status: repeatable(z.enum([...SERVICE_STATUSES, 'Not_Deployed'])).optional(),
      health: repeatable(healthStateSchema).optional(),
      client_id: repeatable(idSchema).optional(),
      with_total: booleanQuerySchema.optional(),
    }),
    response: listOf(fleetServiceItemSchema),
  }),
  service: defineRoute({
    ...inFamily('services'),
    id: 'readFleetService',
    path: '/api/v3/fleet/services/:service_id',
    summary: 'Read a service, what its proxies run, and their errors, for every role',
    needs: { kind: 'service', level: 'view', param: 'service_id', by: 'id' },
    params: z.strictObject({ service_id: idSchema }),
    query: z.strictObject({ project: idSchema }),
    response: fleetServiceDetailSchema,
  }),
  clients: defineRoute({
    ...inFamily('clients'),
    id: 'listFleetClients',
    path: '/api/v3/fleet/clients',
    summary: 'List the clients of a project with status, services and time of the last report, for every role',
    query: z.strictObject({
      /** `q` searches name and client id. */
      ...listQuery,
      status: repeatable(z.enum(CLIENT_STATUSES)).optional(),
      with_total: booleanQuerySchema.optional(),
    }),
    response: listOf(fleetClientItemSchema),
  }),
  client: defineRoute({
    ...inFamily('clients'),
    id: 'readFleetClient',
    path: '/api/v3/fleet/clients/:client_id',
    summary: 'Read the connection of a client and the services on it, for every role',
    needs: { kind: 'client', level: 'view', param: 'client_id', by: 'id' },
    params: z.strictObject({ client_id: idSchema }),
    query: z.strictObject({ project: idSchema }),
    response: fleetClientSchema,
  }),
  errors: defineRoute({
    ...inFamily('configuration'),
    id: 'listFleetErrors',
    path: '/api/v3/fleet/errors',
    summary: 'List the configuration errors of the services of a project, newest first, for every role',
    query: z.strictObject({
      ...listQuery,
      service_id: repeatable(idSchema).optional(),
      status: repeatable(z.enum(CONFIG_ERROR_STATUSES)).optional(),
      severity: repeatable(z.enum(CONFIG_ERROR_SEVERITIES)).optional(),
      client_id: repeatable(idSchema).optional(),
      with_total: booleanQuerySchema.optional(),
    }),
    response: listOf(configErrorSchema),
  }),
};
