import * as z from 'zod';
import { READERS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { idSchema, projectQuerySchema, timeSchema } from '../schemas.ts';
import { CERTIFICATE_STATES } from './certificates.ts';
import { CONFIG_ERROR_SEVERITIES } from './config-errors.ts';
import { collectionSchema } from './documents.ts';
import { serviceStatusSchema } from './services.ts';

export const OVERVIEW_LISTED_MAX = 20;
export const OVERVIEW_CHANGES_MAX = 50;
export const OVERVIEW_NEWEST_ERRORS = 10;
export const OVERVIEW_RECENT_MAX = 15;
/** A resource that waits for longer is worth telling. */
export const OVERVIEW_WAITING_MS = 10_000;

const count = z.number().int();

const servicesSchema = z.object({
  total: count,
  live: count,
  partial: count,
  offline: count,
  not_deployed: count,
  /** What is not well, worst first: offline, partial, then live ones with active errors. At most 20. */
  worst: z.array(z.object({ id: idSchema, name: z.string(), status: serviceStatusSchema, active_errors: count })),
});

const clientsSchema = z.object({
  total: count,
  live: count,
  offline: count,
  /** Those that have been offline for the shortest time first; at most 20. */
  offline_clients: z.array(
    z.object({
      client_id: idSchema,
      name: z.string(),
      /** Null: never connected. */
      since: timeSchema.nullable(),
      reason: z.string().nullable(),
      /** After this its certificate is not renewed any more: it has to be enrolled again. Null: it has none that stands. */
      renewable_until: timeSchema.nullable(),
    }),
  ),
});

const certificatesSchema = z.object({
  /** Documents that hold one, and the authority of the installation. */
  ended: count,
  ends_soon: count,
  /** The first to end, of those that have ended or end within 30 days; at most 20. */
  first: z.array(
    z.object({
      state: z.enum(CERTIFICATE_STATES).exclude(['valid']),
      ends_at: timeSchema,
      /** Null: of the authority that vouches for clients. */
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
 * A change that has not arrived. `refused`, `held` and `waiting` are of one resource; `behind` is of a whole node, whose
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
  /** Since when it is known; null where nothing was ever reported. */
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
  /** Of documents. */
  collection: z.string().optional(),
  version: z.string().optional(),
  revision: count,
});

/** Sections that the caller's role may not read are null. */
export const overviewSchema = z.object({
  at: timeSchema,
  /**
   * When something last came right: a client came back, or a node settled. Where nothing is wrong, since when. Null where
   * nothing ever happened, and for roles that may not know.
   */
  settled_at: timeSchema.nullable(),
  services: servicesSchema.nullable(),
  clients: clientsSchema.nullable(),
  config_errors: configErrorsSchema.nullable(),
  certificates: certificatesSchema,
  /** On how many nodes; of the first of them the changes, refused first, then held, waiting and behind, at most 50. */
  pending_changes: z.object({ nodes: count, items: z.array(pendingChangeSchema) }).nullable(),
  /** Without questions: what people asked for and has not ended. */
  running_commands: count,
  /** The newest 15: of the audit log for owners and admins, documents and policies for others. */
  recent: z.array(z.discriminatedUnion('kind', [auditedChangeSchema, documentChangeSchema])),
});
export type Overview = z.infer<typeof overviewSchema>;

export const overviewRoutes = {
  read: defineRoute({
    id: 'readOverview',
    method: 'GET',
    path: '/api/v3/overview',
    summary: 'What is wrong in a project, and what changed lately',
    tag: 'Overview',
    access: { kind: 'roles', roles: READERS },
    project: 'query',
    audit: null,
    query: projectQuerySchema,
    status: 200,
    response: overviewSchema,
  }),
};
