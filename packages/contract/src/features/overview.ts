import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, projectQuerySchema, timeSchema } from '../schemas.ts';
import { CERTIFICATE_STATES } from './certificates.ts';
import { CONFIG_ERROR_SEVERITIES } from './config-errors.ts';
import { collectionSchema } from './documents.ts';
import { healthStateSchema } from './health.ts';
import { serviceStatusSchema } from './services.ts';

export const OVERVIEW_LISTED_MAX = 20;
export const OVERVIEW_CHANGES_MAX = 50;
export const OVERVIEW_NEWEST_ERRORS = 10;
export const OVERVIEW_RECENT_MAX = 15;
/** A resource that waits for longer is shown. */
export const OVERVIEW_WAITING_MS = 10_000;

const count = z.number().int();

const servicesSchema = z.object({
  total: count,
  live: count,
  partial: count,
  offline: count,
  not_deployed: count,
  /** The next three count by health, whatever the status. */
  failed: count,
  degraded: count,
  unreachable: count,
  /** Failed services, then degraded ones, then unreachable ones, then others with active errors. At most 20. */
  worst: z.array(
    z.object({
      id: idSchema,
      name: z.string(),
      status: serviceStatusSchema,
      health: healthStateSchema,
      /** The worst reason for the health; null: none. */
      reason: z.string().nullable(),
      active_errors: count,
    }),
  ),
});

const clientsSchema = z.object({
  total: count,
  live: count,
  offline: count,
  /** The most recently lost first; at most 20. */
  offline_clients: z.array(
    z.object({
      client_id: idSchema,
      name: z.string(),
      /** Null: never connected. */
      since: timeSchema.nullable(),
      reason: z.string().nullable(),
      /**
       * The time after which its certificate cannot be renewed and the client has to enrol again. Null: it has no valid one, or the
       * caller is an editor or viewer.
       */
      renewable_until: timeSchema.nullable(),
    }),
  ),
});

const certificatesSchema = z.object({
  /** The counts include documents with certificates and the CA of the installation. */
  ended: count,
  ends_soon: count,
  /** Certificates that have ended or end within 30 days, earliest first; at most 20. */
  first: z.array(
    z.object({
      state: z.enum(CERTIFICATE_STATES).exclude(['valid']),
      ends_at: timeSchema,
      /** Null: the CA that issues client certificates. */
      document: z.object({ collection: collectionSchema, name: z.string(), version: z.string() }).nullable(),
    }),
  ),
});

const configErrorsSchema = z.object({
  active: count,
  critical: count,
  error: count,
  warning: count,
  newest: z.array(
    z.object({
      id: idSchema,
      service_id: idSchema,
      service_name: z.string().nullable(),
      client_id: idSchema.nullable(),
      severity: z.enum(CONFIG_ERROR_SEVERITIES),
      resource: z.object({ name: z.string(), type: z.string() }),
      message: z.string(),
      last_seen: timeSchema,
    }),
  ),
});

export const PENDING_STATES = ['refused', 'held', 'waiting', 'behind'] as const;

/**
 * A change that has not arrived. `refused`, `held` and `waiting` concern one resource; `behind` concerns a whole node, whose
 * client has not applied the newest generation (resource null).
 */
export const pendingChangeSchema = z.object({
  service_id: idSchema,
  service_name: z.string(),
  client_id: idSchema,
  client_name: z.string(),
  resource: z.object({ type: z.string(), name: z.string() }).nullable(),
  state: z.enum(PENDING_STATES),
  reason: z.string().nullable(),
  /** When it became known; null if nothing was ever reported. */
  since: timeSchema.nullable(),
});

const auditedChangeSchema = z.object({
  kind: z.literal('audit'),
  id: idSchema,
  at: timeSchema,
  actor: z.string().nullable(),
  action: z.string(),
  resource: z.object({ type: z.string().nullable(), id: z.string().nullable(), name: z.string().nullable() }),
  outcome: z.string(),
});
const documentChangeSchema = z.object({
  kind: z.enum(['document', 'policy']),
  id: idSchema,
  at: timeSchema,
  actor: z.string(),
  name: z.string(),
  collection: z.string().optional(),
  version: z.string().optional(),
  revision: count,
});

export const overviewSchema = z.object({
  at: timeSchema,
  /**
   * Time of the last recovery: a client came back, or a node settled. If nothing is wrong, since when. Null if nothing ever
   * happened.
   */
  settled_at: timeSchema.nullable(),
  services: servicesSchema,
  clients: clientsSchema,
  config_errors: configErrorsSchema,
  certificates: certificatesSchema,
  /** `nodes` counts the nodes with pending changes; `items` has their first 50 changes: refused, held, waiting, behind. */
  pending_changes: z.object({ nodes: count, items: z.array(pendingChangeSchema) }),
  /** Commands that people started and that have not ended, without queries. */
  running_commands: count,
  /** The newest 15: from the audit log for owners and admins; changes of documents and policies for others. */
  recent: z.array(z.discriminatedUnion('kind', [auditedChangeSchema, documentChangeSchema])),
});
export type Overview = z.infer<typeof overviewSchema>;

export const overviewRoutes = {
  read: defineRoute({
    id: 'readOverview',
    method: 'GET',
    path: '/api/v3/overview',
    summary: 'Summarize the problems and recent changes of a project',
    tag: 'Overview',
    family: null,
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: projectQuerySchema,
    status: 200,
    response: overviewSchema,
  }),
};
