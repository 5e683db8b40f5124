import { fleet } from '@flotilla/proto';
import type { ServiceHost } from '../host/index.ts';
import type { CommandKind } from './command-kind.ts';
import type { CommandOutcome } from './outcome.ts';
import { toControlResult, toReportResult, toShieldResult, toStatsResult, toVersionsResult } from './results.ts';

export interface RunOptions {
  readonly host: ServiceHost;
  readonly payload: Readonly<Record<string, unknown>>;
  /** That the host is to reach, for `converge`. */
  readonly generation: bigint;
  readonly signal: AbortSignal;
}

const LOG_LINES_DEFAULT = 100;

/** Carries one command out. Rejects only when `signal` aborts or something unforeseen fails. */
export async function runCommand(
  command: fleet.Command,
  kind: CommandKind,
  options: RunOptions,
): Promise<CommandOutcome> {
  switch (kind.kind) {
    case 'converge':
      return converge(command, options);
    case 'install':
      return install(options);
    case 'query':
      return query(command, kind.query, options);
    case 'act':
      return control(command, kind.action, options);
  }
}

async function converge({ serviceId, type }: fleet.Command, options: RunOptions): Promise<CommandOutcome> {
  const report = await options.host.settled(serviceId, options.generation, options.signal);
  const result = { status: toReportResult(report) };
  if (report.removed) {
    if (type === 'UNDEPLOY') return { outcome: 'done', result };
    return {
      outcome: 'failed',
      code: 'service.removed',
      message: 'the service was removed from this host meanwhile',
      result,
    };
  }
  const error = type === 'SHIELD' ? report.policyError || report.error : report.error;
  if (error === '' && report.phase !== fleet.NodePhase.FAILED) return { outcome: 'done', result };
  return { outcome: 'failed', code: 'service.failed', message: error || 'the service does not run', result };
}

async function install({ host, payload }: RunOptions): Promise<CommandOutcome> {
  const version = typeof payload.version === 'string' ? payload.version : '';
  const installed = await host.installVersion(version, readCatalogEntry(payload));
  if (!installed.ok) return { outcome: 'failed', code: 'version.unavailable', message: installed.error };
  return { outcome: 'done', result: toVersionsResult([installed.value], []) };
}

function readCatalogEntry({ url, sha256 }: Readonly<Record<string, unknown>>) {
  return typeof url === 'string' && typeof sha256 === 'string' ? { url, sha256 } : undefined;
}

type Query = Extract<CommandKind, { kind: 'query' }>['query'];

async function query(command: fleet.Command, what: Query, options: RunOptions): Promise<CommandOutcome> {
  const { host } = options;
  const { serviceId } = command;
  const reports = host.reports().filter((report) => serviceId === '' || report.serviceId === serviceId);
  switch (what) {
    case 'stats':
      return { outcome: 'done', result: toStatsResult(await host.hostStats()) };
    case 'status':
    case 'logs':
      return control(command, what, options);
    case 'shield':
      return { outcome: 'done', result: toShieldResult(reports) };
    case 'versions':
      return { outcome: 'done', result: toVersionsResult(await host.versions(), reports) };
  }
}

async function control(
  { serviceId }: fleet.Command,
  action: 'restart' | 'reload' | 'status' | 'logs',
  { host, payload, signal }: RunOptions,
): Promise<CommandOutcome> {
  const lines = typeof payload.count === 'number' ? payload.count : LOG_LINES_DEFAULT;
  const controlled = await host.control(serviceId, action, { signal, ...(action === 'logs' && { lines }) });
  const result = toControlResult(controlled);
  if (controlled.ok) return { outcome: 'done', result };
  return {
    outcome: 'failed',
    code: `service.${action}_failed`,
    message: controlled.error ?? 'no reason given',
    result,
  };
}
