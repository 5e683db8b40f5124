import { Turns } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { LogRequest, ServiceHost } from '../host/index.ts';
import type { ForwarderKey } from '../log-forwarding/index.ts';
import { readQuery } from '../logs/query.ts';
import { readLogs } from '../logs/read-logs.ts';
import type { CommandOutcome } from './outcome.ts';

interface LogOptions {
  readonly host: ServiceHost;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Includes those that wait for new lines. */
const AT_ONCE_MAX = 16;
const WAITING_MAX = 32;

const turnsOfHosts = new WeakMap<ServiceHost, Turns>();

/** Without a log type, all logs of the service are merged. */
export function readServiceLogs({ serviceId }: fleet.Command, options: LogOptions): Promise<CommandOutcome> {
  const { logType } = readQuery(options.payload);
  return read({ of: 'service', serviceId, logType: logType || 'ALL' }, options);
}

export function readHostLogs(
  of: 'agent' | 'host' | 'routing' | ForwarderKey,
  options: LogOptions,
): Promise<CommandOutcome> {
  return read({ of }, options);
}

async function read(request: LogRequest, { host, payload, signal }: LogOptions): Promise<CommandOutcome> {
  const target = host.logTarget(request);
  if (!target) return { outcome: 'failed', code: 'service.unknown', message: 'the service is not on this host' };
  const logType = 'logType' in request ? request.logType : '';
  const turns = turnsOfHosts.get(host) ?? new Turns({ atOnce: AT_ONCE_MAX, waiting: WAITING_MAX });
  turnsOfHosts.set(host, turns);
  if (!(await turns.take(signal))) {
    signal.throwIfAborted();
    return { outcome: 'refused', code: 'logs.busy', message: 'too many commands read logs of this host; try again' };
  }
  try {
    const page = await readLogs(target, { ...readQuery(payload), logType }, signal);
    if (page.ok) return { outcome: 'done', result: page.value };
    return { outcome: 'refused', ...page.error };
  } finally {
    turns.give();
  }
}
