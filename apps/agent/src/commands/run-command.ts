import { fleet } from '@flotilla/proto';
import type { CommandName } from '@flotilla/proto/commands';
import type { ServiceHost } from '../host/index.ts';
import { createBundle, deleteBundle, listBundles, readApplianceStatus, readBundle } from './appliance.ts';
import { HA_HANDLERS } from './ha.ts';
import type { CommandHandler, RunOptions } from './handler.ts';
import { forwarderHandlers } from './log-forwarding.ts';
import { readHostLogs, readServiceLogs } from './logs.ts';
import { changeNetwork, readNetwork } from './network.ts';
import type { CommandOutcome } from './outcome.ts';
import { callProxy } from './proxy.ts';
import {
  toControlResult,
  toReportResult,
  toSampleResult,
  toShieldConfigResult,
  toShieldStatusResult,
  toStatsResult,
} from './results.ts';
import { ROUTING_HANDLERS } from './routing.ts';
import { upgradeListener } from './upgrade.ts';
import { getVersions, removeVersion, setVersion } from './versions.ts';

const LOG_LINES_DEFAULT = 100;

const syslog = forwarderHandlers('syslog');
const shipper = forwarderHandlers('logshipper');

/**
 * The handler of each command. A handler rejects only when `signal` aborts or on an unexpected failure. `kind` in the table
 * of commands defines what happens to a command that was running when the agent died.
 */
export const COMMAND_HANDLERS: Readonly<Record<CommandName, CommandHandler>> = {
  CLIENT_STATS: readStats,
  'CLIENT_LOGS AGENT': (_, options) => readHostLogs('agent', options),
  'CLIENT_LOGS HOST': (_, options) => readHostLogs('host', options),
  ROUTING_LOGS: (_, options) => readHostLogs('routing', options),
  DEPLOY: converge,
  UNDEPLOY: converge,
  UPDATE_BOOTSTRAP: converge,
  'SERVICE SUB_START': converge,
  'SERVICE SUB_STOP': converge,
  'SERVICE SUB_RESTART': (command, options) => control(command, 'restart', options),
  'SERVICE SUB_RELOAD': (command, options) => control(command, 'reload', options),
  'SERVICE SUB_STATUS': (command, options) => control(command, 'status', options),
  'SERVICE SUB_LOGS': readServiceLogs,
  'SHIELD UPDATE_SHIELD_CONFIG': converge,
  'SHIELD GET_SHIELD_CONFIG': readShieldConfig,
  'SHIELD GET_SHIELD_STATUS': readShieldStatus,
  'PROXY READ': (command, options) => callProxy(command, 'READ', options),
  'PROXY WRITE': (command, options) => callProxy(command, 'WRITE', options),
  'DATAPLANE_VERSION GET_VERSIONS': (command, options) =>
    getVersions('envoy', { ...options, reports: findReports(command, options.host) }),
  'DATAPLANE_VERSION SET_VERSION': setEnvoy,
  'DATAPLANE_VERSION REMOVE_VERSION': (_, options) => removeVersion('envoy', options),
  UPGRADE_LISTENER: upgradeListener,
  'WAF_VERSION GET_VERSIONS': (_, options) => getVersions('waf', { ...options, reports: [] }),
  'WAF_VERSION SET_VERSION': (command, options) => setVersion('waf', command, options),
  'WAF_VERSION REMOVE_VERSION': (_, options) => removeVersion('waf', options),
  ...ROUTING_HANDLERS,
  'SYSLOG_FWD UPDATE_RSYSLOG_CONFIG': syslog.update,
  'SYSLOG_FWD GET_RSYSLOG_CONFIG': syslog.getConfig,
  'SYSLOG_FWD GET_RSYSLOG_STATUS': syslog.getStatus,
  'SYSLOG_FWD SUB_START': syslog.start,
  'SYSLOG_FWD SUB_STOP': syslog.stop,
  'SYSLOG_FWD SUB_RESTART': syslog.restart,
  'SYSLOG_FWD SUB_LOGS': syslog.logs,
  'LOGSHIPPER UPDATE_FILEBEAT_CONFIG': shipper.update,
  'LOGSHIPPER GET_FILEBEAT_CONFIG': shipper.getConfig,
  'LOGSHIPPER GET_FILEBEAT_STATUS': shipper.getStatus,
  'LOGSHIPPER SUB_START': shipper.start,
  'LOGSHIPPER SUB_STOP': shipper.stop,
  'LOGSHIPPER SUB_RESTART': shipper.restart,
  'LOGSHIPPER SUB_LOGS': shipper.logs,
  'NETWORK SUB_NETPLAN_APPLY': changeNetwork,
  'NETWORK SUB_NETPLAN_GET': readNetwork,
  'NETWORK SUB_NETPLAN_ROLLBACK': changeNetwork,
  'NETWORK SUB_ROUTE_MANAGE': changeNetwork,
  'NETWORK SUB_ROUTE_LIST': readNetwork,
  'NETWORK SUB_POLICY_MANAGE': changeNetwork,
  'NETWORK SUB_POLICY_LIST': readNetwork,
  'NETWORK SUB_TABLE_MANAGE': changeNetwork,
  'NETWORK SUB_TABLE_LIST': readNetwork,
  'NETWORK SUB_GET_NETWORK_STATE': readNetwork,
  'APPLIANCE SUB_STATUS': readApplianceStatus,
  'APPLIANCE SUB_BUNDLE_LIST': listBundles,
  'APPLIANCE SUB_BUNDLE_CREATE': createBundle,
  'APPLIANCE SUB_BUNDLE_READ': readBundle,
  'APPLIANCE SUB_BUNDLE_DELETE': deleteBundle,
  ...HA_HANDLERS,
};

/** With a service, the version is installed first, and then the command waits until the service runs it. */
async function setEnvoy(command: fleet.Command, options: RunOptions): Promise<CommandOutcome> {
  const installed = await setVersion('envoy', command, options);
  if (command.serviceId === '' || installed.outcome !== 'done') return installed;
  const converged = await converge(command, options);
  return { ...converged, result: { ...(installed.result as object), ...(converged.result as object) } };
}

/** The desired state arrives before the command; the command waits until the host has converged to it. */
async function converge({ serviceId, type }: fleet.Command, options: RunOptions): Promise<CommandOutcome> {
  const report = await options.host.settled(serviceId, options.generation, options.signal);
  const result = { status: toReportResult(report) };
  if (report.removed) {
    if (type === 'UNDEPLOY') return { outcome: 'done', result };
    return {
      outcome: 'failed',
      code: 'service.removed',
      message: 'the service has been removed from this host',
      result,
    };
  }
  const error = type === 'SHIELD' ? report.policyError || report.error : report.error;
  if (error === '' && report.phase !== fleet.NodePhase.FAILED) return { outcome: 'done', result };
  return { outcome: 'failed', code: 'service.failed', message: error || 'the service is not running', result };
}

/** `count` adds that many samples, of which the newest is the one that is taken now. */
async function readStats(_: fleet.Command, { host, payload: { count } }: RunOptions): Promise<CommandOutcome> {
  const result = toStatsResult(await host.hostStats());
  if (typeof count !== 'number') return { outcome: 'done', result };
  return { outcome: 'done', result: { ...result, samples: host.recentHostStats(count).map(toSampleResult) } };
}

async function readShieldConfig(command: fleet.Command, { host }: RunOptions): Promise<CommandOutcome> {
  const services = await Promise.all(
    findReports(command, host).map(async (report) =>
      toShieldConfigResult(report, await host.policyFiles(report.serviceId)),
    ),
  );
  return { outcome: 'done', result: { services } };
}

async function readShieldStatus(command: fleet.Command, { host }: RunOptions): Promise<CommandOutcome> {
  const services = await Promise.all(
    findReports(command, host).map(async (report) => {
      const { serviceId } = report;
      const { units } = await host.control(serviceId, 'status');
      const { logs } = await host.control(serviceId, 'logs', { lines: LOG_LINES_DEFAULT });
      return toShieldStatusResult(report, { ...(units && { units }), ...(logs && { logs }) });
    }),
  );
  return { outcome: 'done', result: { services } };
}

/** The reports of the named service, or of all services. */
function findReports({ serviceId }: fleet.Command, host: ServiceHost) {
  return host.reports().filter((report) => serviceId === '' || report.serviceId === serviceId);
}

async function control(
  { serviceId }: fleet.Command,
  action: 'restart' | 'reload' | 'status',
  { host, signal }: RunOptions,
): Promise<CommandOutcome> {
  const controlled = await host.control(serviceId, action, { signal });
  const result = toControlResult(controlled);
  if (controlled.ok) return { outcome: 'done', result };
  return {
    outcome: 'failed',
    code: `service.${action}_failed`,
    message: controlled.error ?? 'no reason given',
    result,
  };
}
