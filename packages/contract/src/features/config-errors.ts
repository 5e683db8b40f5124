import * as z from 'zod';
import { defineAuditWords } from '../audit-words.ts';
import { ADMINS } from '../roles.ts';
import { defineRoute } from '../route.ts';
import { dryRunQuery, idSchema, listOf, listQuery, repeatable, timeSchema } from '../schemas.ts';
import { defineTopic } from '../topics.ts';
import { CONFIG_ERROR_CODES, fixAtSchema } from './config-error-codes.ts';

export const CONFIG_ERROR_SEVERITIES = ['critical', 'error', 'warning'] as const;
export const CONFIG_ERROR_STATUSES = ['active', 'resolved'] as const;

/** A problem that a proxy, a filter or the translation reports about one resource on one node. */
export const configErrorSchema = z.object({
  id: idSchema,
  service_id: idSchema,
  client_id: idSchema.nullable(),
  severity: z.enum(CONFIG_ERROR_SEVERITIES),
  status: z.enum(CONFIG_ERROR_STATUSES),
  /** For people; `raw_message` is the text of Envoy, the filter or the agent. */
  message: z.string(),
  raw_message: z.string(),
  code: z.enum(CONFIG_ERROR_CODES),
  /** The object to change to resolve the error. */
  fix_at: fixAtSchema,
  resource: z.object({ name: z.string(), type: z.string(), node_id: z.string() }),
  first_seen: timeSchema,
  /** Start of the current uninterrupted period in which it is active. */
  active_since: timeSchema,
  last_seen: timeSchema,
  occurrence_count: z.number().int(),
  suggested_fix: z.string().optional(),
  resolved_at: timeSchema.optional(),
  resolved_by: z.string().optional(),
});
export type ConfigErrorRecord = z.infer<typeof configErrorSchema>;

const access = { kind: 'roles', roles: ADMINS } as const;
const idsBody = z.strictObject({ ids: z.array(idSchema).min(1).max(1000) });
const changed = z.object({ changed: z.number().int() });

export const configErrorRoutes = {
  summary: defineRoute({
    id: 'readErrorSummary',
    method: 'GET',
    path: '/api/v3/custom/error_summary',
    summary: 'Count the active configuration errors of a project by service',
    tag: 'Configuration errors',
    family: 'configuration',
    access,
    project: 'query',
    audit: null,
    query: z.strictObject({ project: idSchema }),
    status: 200,
    response: z.object({
      total_error: z.number().int(),
      services: z.array(
        z.object({
          id: idSchema,
          name: z.string(),
          status: z.enum(['Critical', 'Error', 'Warning']),
          count: z.number().int(),
        }),
      ),
    }),
  }),
  list: defineRoute({
    id: 'listServiceErrors',
    method: 'GET',
    path: '/api/op/services/:service_id/errors',
    summary: 'List the configuration errors of a service, newest first',
    tag: 'Configuration errors',
    family: 'configuration',
    access,
    project: 'query',
    needs: { kind: 'service', level: 'view', param: 'service_id', by: 'id' },
    audit: null,
    params: z.strictObject({ service_id: idSchema }),
    query: z.strictObject({
      ...listQuery,
      status: repeatable(z.enum(CONFIG_ERROR_STATUSES)).optional(),
      severity: repeatable(z.enum(CONFIG_ERROR_SEVERITIES)).optional(),
      client_id: repeatable(idSchema).optional(),
    }),
    status: 200,
    response: listOf(configErrorSchema),
  }),
  resolve: defineRoute({
    id: 'resolveServiceErrors',
    method: 'POST',
    path: '/api/op/services/:service_id/errors/resolve',
    summary: 'Mark errors as resolved; one that occurs again becomes active again',
    tag: 'Configuration errors',
    family: 'configuration',
    access,
    project: 'query',
    needs: { kind: 'service', level: 'change', param: 'service_id', by: 'id' },
    audit: 'config_error.resolve',
    params: z.strictObject({ service_id: idSchema }),
    query: z.strictObject({ project: idSchema, ...dryRunQuery }),
    body: idsBody,
    status: 200,
    response: changed,
  }),
  clear: defineRoute({
    id: 'clearServiceErrors',
    method: 'DELETE',
    path: '/api/op/services/:service_id/errors',
    summary: 'Delete error records',
    tag: 'Configuration errors',
    family: 'configuration',
    access,
    project: 'query',
    needs: { kind: 'service', level: 'change', param: 'service_id', by: 'id' },
    audit: 'config_error.clear',
    params: z.strictObject({ service_id: idSchema }),
    query: z.strictObject({ project: idSchema, ids: repeatable(idSchema), ...dryRunQuery }),
    status: 200,
    response: changed,
  }),
};

export const configErrorsTopics = [
  defineTopic('config_error', 'members', { service_id: idSchema.optional() }),
] as const;

export const configErrorsAuditWords = defineAuditWords({
  actions: {
    'config_error.clear': 'clear configuration errors of {service}',
    'config_error.resolve': 'resolve configuration errors of {service}',
  },
});
