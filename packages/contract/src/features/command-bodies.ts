import { ADMIN_READ_PATHS, ADMIN_WRITE_PATHS, type CommandName, checkAdminCall } from '@flotilla/proto/commands';
import * as z from 'zod';
import { idSchema, nameSchema } from '../schemas.ts';
import { proxyVersionSchema } from './documents.ts';

const LOG_LINES_MAX = 5000;
const STATS_MAX = 1000;
const ADMIN_QUERY_NAME_MAX = 128;
/** Log levels of all loggers. */
const ADMIN_QUERY_VALUE_MAX = 10_000;

const projectOf = { project: idSchema.optional() };

/** Identifies the service by `service_id` or by its `name` in the project. */
const serviceOf = { ...projectOf, service_id: idSchema.optional(), name: nameSchema.optional() };

/** The command is refused unless the service has the proxy version `version`. */
const serviceOfVersion = { ...serviceOf, version: proxyVersionSchema.optional() };

const clientStatsCommandBody = z.strictObject({
  ...projectOf,
  count: z.number().int().min(1).max(STATS_MAX).optional(),
});
const serviceCommandBody = z.strictObject(serviceOfVersion);
/** `count` is the number of newest lines, 100 by default. */
const serviceLogsCommandBody = z.strictObject({
  ...serviceOfVersion,
  count: z.number().int().min(1).max(LOG_LINES_MAX).optional(),
});
const getVersionsCommandBody = z.strictObject({ ...serviceOfVersion, operation: z.literal('GET_VERSIONS') });
/** `version` is the one to run. `force_download` fetches it even if the host has it. */
const setVersionCommandBody = z.strictObject({
  ...serviceOf,
  operation: z.literal('SET_VERSION'),
  version: proxyVersionSchema,
  force_download: z.boolean().optional(),
});

/** Parameters of the path. `checkAdminCall` knows those of each path. */
const queriesSchema = z.record(z.string().max(ADMIN_QUERY_NAME_MAX), z.string().max(ADMIN_QUERY_VALUE_MAX)).optional();
const proxyReadCommandBody = z
  .strictObject({
    ...serviceOfVersion,
    path: z.enum(ADMIN_READ_PATHS),
    method: z.literal('GET').optional(),
    queries: queriesSchema,
  })
  .superRefine(refuseQueries);
const proxyWriteCommandBody = z
  .strictObject({
    ...serviceOfVersion,
    path: z.enum(ADMIN_WRITE_PATHS),
    method: z.literal('POST').optional(),
    queries: queriesSchema,
  })
  .superRefine(refuseQueries);

function refuseQueries(command: Readonly<Record<string, unknown>>, ctx: z.RefinementCtx): void {
  const checked = checkAdminCall(command);
  if (!checked.ok) ctx.addIssue({ code: 'custom', path: [...checked.error.at], message: checked.error.message });
}

/** The `command` member of POST /api/op/clients for each command. */
export const COMMAND_BODIES = {
  CLIENT_STATS: clientStatsCommandBody,
  DEPLOY: serviceCommandBody,
  UNDEPLOY: serviceCommandBody,
  UPDATE_BOOTSTRAP: serviceCommandBody,
  'SERVICE SUB_START': serviceCommandBody,
  'SERVICE SUB_STOP': serviceCommandBody,
  'SERVICE SUB_RESTART': serviceCommandBody,
  'SERVICE SUB_RELOAD': serviceCommandBody,
  'SERVICE SUB_STATUS': serviceCommandBody,
  'SERVICE SUB_LOGS': serviceLogsCommandBody,
  'SHIELD UPDATE_SHIELD_CONFIG': serviceCommandBody,
  'SHIELD GET_SHIELD_CONFIG': serviceCommandBody,
  'SHIELD GET_SHIELD_STATUS': serviceCommandBody,
  'PROXY READ': proxyReadCommandBody,
  'PROXY WRITE': proxyWriteCommandBody,
  'DATAPLANE_VERSION GET_VERSIONS': getVersionsCommandBody,
  'DATAPLANE_VERSION SET_VERSION': setVersionCommandBody,
} as const satisfies Record<CommandName, z.ZodObject>;
