import type { ForwarderCounters } from './types.ts';

/** Reads the configuration and exits. */
export function checkRsyslog(program: string, conf: string): readonly string[] {
  return [program, '-N1', '-f', conf];
}

/** Runs in the foreground, without a file for its process id. */
export function runRsyslog(program: string, conf: string): readonly string[] {
  return [program, '-n', '-iNONE', '-f', conf];
}

/** rsyslog notes this when it has read its configuration and runs. */
export function hasRsyslogStarted(log: string): boolean {
  return /\[origin software="rsyslogd"[^\n]*\] start$/m.test(log);
}

/** Reads the newest counters of impstats: one JSON object per line and counter, after a time. */
export function readRsyslogCounters(log: string): ForwarderCounters | undefined {
  const newest = new Map<string, Readonly<Record<string, unknown>>>();
  for (const line of log.split('\n')) {
    const entry = parseEntry(line);
    if (typeof entry?.name === 'string') newest.set(`${entry.origin}/${entry.name}`, entry);
  }
  const queue = newest.get('core.queue/forward');
  const action = newest.get('core.action/deliver');
  if (!queue) return undefined;
  return {
    read: toNumber(queue.enqueued),
    waiting: toNumber(queue.size),
    failed: toNumber(action?.failed),
    suspended: toNumber(action?.suspended) > toNumber(action?.resumed),
  };
}

function parseEntry(line: string): Readonly<Record<string, unknown>> | undefined {
  const start = line.indexOf('{');
  if (start < 0) return undefined;
  try {
    return JSON.parse(line.slice(start)) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function toNumber(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}
