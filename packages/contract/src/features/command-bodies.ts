import {
  ADMIN_READ_PATHS,
  ADMIN_WRITE_PATHS,
  type CommandName,
  checkAdminCall,
  DRAIN_TIME,
  LOG_LEVELS,
  LOG_LIMITS,
  SERVICE_LOG_TYPES,
} from '@flotilla/proto/commands';
import * as z from 'zod';
import { idSchema, nameSchema, timeSchema } from '../schemas.ts';
import { APPLIANCE_COMMAND_BODIES } from './appliance-bodies.ts';
import { proxyVersionSchema } from './documents.ts';
import { HA_COMMAND_BODIES } from './ha-bodies.ts';
import { shipperConfigSchema, syslogConfigSchema } from './log-forwarding.ts';
import {
  netplanApplyCommandBody,
  netplanRollbackCommandBody,
  networkReadCommandBody,
  policyListCommandBody,
  policyManageCommandBody,
  routeListCommandBody,
  routeManageCommandBody,
  tableManageCommandBody,
} from './network-bodies.ts';
import { ROUTING_COMMAND_BODIES } from './routing-bodies.ts';

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

/** Levels may be in upper case. */
export const logLevelSchema = z
  .string()
  .max(16)
  .transform((text) => text.toLowerCase())
  .pipe(z.enum(LOG_LEVELS));

/** The members of all commands that read logs. */
export const logQueryShape = {
  /** The most lines of the answer; 100 by default. */
  count: z.number().int().min(1).max(LOG_LIMITS.countMax).optional(),
  since: timeSchema.optional(),
  until: timeSchema.optional(),
  /** The least severe level. */
  level: logLevelSchema.optional(),
  levels: z.array(logLevelSchema).min(1).max(LOG_LEVELS.length).optional(),
  components: z.array(z.string().min(1).max(LOG_LIMITS.componentMax)).min(1).max(LOG_LIMITS.componentsMax).optional(),
  /** Lines contain this text, regardless of case. It is no pattern. */
  search: z.string().min(1).max(LOG_LIMITS.searchMax).optional(),
  /** `older_cursor` or `newer_cursor` of an earlier answer for the same log. */
  cursor: z
    .string()
    .max(LOG_LIMITS.cursorMax)
    .regex(/^eyJ[\w-]*$/, 'must be a cursor of an earlier answer')
    .optional(),
  /** The most bytes of the lines in the answer, as JSON. */
  max_bytes: z.number().int().min(LOG_LIMITS.bytesMin).max(LOG_LIMITS.bytesMax).optional(),
  /** With `newer_cursor`: how long the client waits for lines. */
  wait_ms: z.number().int().min(0).max(LOG_LIMITS.waitMaxMs).optional(),
};

const clientLogsCommandBody = (logType: z.ZodType<string | undefined>) =>
  z.strictObject({ ...projectOf, ...logQueryShape, log_type: logType }).superRefine(refuseEmptyRange);
const hostLogsCommandBody = z.strictObject({ ...projectOf, ...logQueryShape }).superRefine(refuseEmptyRange);
const serviceLogsCommandBody = z
  .strictObject({ ...serviceOfVersion, ...logQueryShape, log_type: z.enum(SERVICE_LOG_TYPES).optional() })
  .superRefine(refuseEmptyRange);

function refuseEmptyRange(
  { since, until }: { since?: string | undefined; until?: string | undefined },
  ctx: z.RefinementCtx,
) {
  if (since === undefined || until === undefined || Date.parse(since) <= Date.parse(until)) return;
  ctx.addIssue({ code: 'custom', path: ['until'], message: 'must not be before since' });
}

const getVersionsCommandBody = z.strictObject({ ...serviceOfVersion, operation: z.literal('GET_VERSIONS') });
/** `version` is the one to run. `force_download` fetches it even if the host has it. */
const setVersionCommandBody = z.strictObject({
  ...serviceOf,
  operation: z.literal('SET_VERSION'),
  version: proxyVersionSchema,
  force_download: z.boolean().optional(),
});
/** `version` is the one to remove. Refused while anything on the host uses it. */
const removeVersionCommandBody = z.strictObject({
  ...projectOf,
  operation: z.literal('REMOVE_VERSION'),
  version: proxyVersionSchema,
});
/**
 * Clients whose wanted version is another than `from_version` are refused, except those that want `to_version` already. `port` must be
 * served after the upgrade. `drain_time_seconds` also counts for later replacements, until it is changed.
 */
const upgradeListenerCommandBody = z
  .strictObject({
    ...serviceOf,
    from_version: proxyVersionSchema,
    to_version: proxyVersionSchema,
    port: z.number().int().min(1).max(65_535).optional(),
    graceful: z
      .literal(true, 'must be true or left out: every upgrade hands the connections over, and none is abrupt')
      .optional(),
    drain_time_seconds: z.number().int().min(DRAIN_TIME.minS).max(DRAIN_TIME.maxS).optional(),
  })
  .superRefine(({ from_version, to_version }, ctx) => {
    if (from_version !== to_version) return;
    ctx.addIssue({ code: 'custom', path: ['to_version'], message: 'must be another version than from_version' });
  });
const getModulesCommandBody = z.strictObject({ ...projectOf, operation: z.literal('GET_VERSIONS') });
const setModuleCommandBody = z.strictObject({
  ...projectOf,
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

/** Without a service. */
const hostCommandBody = z.strictObject(projectOf);
/** Null removes the forwarder. */
const updateSyslogCommandBody = z.strictObject({ ...projectOf, rsyslog_config: syslogConfigSchema.nullable() });
const updateShipperCommandBody = z.strictObject({ ...projectOf, filebeat: shipperConfigSchema.nullable() });

/** The `command` member of POST /api/op/clients for each command. */
export const COMMAND_BODIES = {
  CLIENT_STATS: clientStatsCommandBody,
  'CLIENT_LOGS AGENT': clientLogsCommandBody(z.literal('AGENT').optional()),
  'CLIENT_LOGS HOST': clientLogsCommandBody(z.literal('HOST')),
  ROUTING_LOGS: hostLogsCommandBody,
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
  'DATAPLANE_VERSION REMOVE_VERSION': removeVersionCommandBody,
  UPGRADE_LISTENER: upgradeListenerCommandBody,
  'WAF_VERSION GET_VERSIONS': getModulesCommandBody,
  'WAF_VERSION SET_VERSION': setModuleCommandBody,
  'WAF_VERSION REMOVE_VERSION': removeVersionCommandBody,
  ...ROUTING_COMMAND_BODIES,
  'SYSLOG_FWD UPDATE_RSYSLOG_CONFIG': updateSyslogCommandBody,
  'SYSLOG_FWD GET_RSYSLOG_CONFIG': hostCommandBody,
  'SYSLOG_FWD GET_RSYSLOG_STATUS': hostCommandBody,
  'SYSLOG_FWD SUB_START': hostCommandBody,
  'SYSLOG_FWD SUB_STOP': hostCommandBody,
  'SYSLOG_FWD SUB_RESTART': hostCommandBody,
  'SYSLOG_FWD SUB_LOGS': hostLogsCommandBody,
  'LOGSHIPPER UPDATE_FILEBEAT_CONFIG': updateShipperCommandBody,
  'LOGSHIPPER GET_FILEBEAT_CONFIG': hostCommandBody,
  'LOGSHIPPER GET_FILEBEAT_STATUS': hostCommandBody,
  'LOGSHIPPER SUB_START': hostCommandBody,
  'LOGSHIPPER SUB_STOP': hostCommandBody,
  'LOGSHIPPER SUB_RESTART': hostCommandBody,
  'LOGSHIPPER SUB_LOGS': hostLogsCommandBody,
  'NETWORK SUB_NETPLAN_APPLY': netplanApplyCommandBody,
  'NETWORK SUB_NETPLAN_GET': networkReadCommandBody,
  'NETWORK SUB_NETPLAN_ROLLBACK': netplanRollbackCommandBody,
  'NETWORK SUB_ROUTE_MANAGE': routeManageCommandBody,
  'NETWORK SUB_ROUTE_LIST': routeListCommandBody,
  'NETWORK SUB_POLICY_MANAGE': policyManageCommandBody,
  'NETWORK SUB_POLICY_LIST': policyListCommandBody,
  'NETWORK SUB_TABLE_MANAGE': tableManageCommandBody,
  'NETWORK SUB_TABLE_LIST': networkReadCommandBody,
  'NETWORK SUB_GET_NETWORK_STATE': networkReadCommandBody,
  ...APPLIANCE_COMMAND_BODIES,
  ...HA_COMMAND_BODIES,
} as const satisfies Record<CommandName, z.ZodObject>;
