import { SHIELD_MINUTES_KEPT } from '@flotilla/policy';
import { fleet } from '@flotilla/proto';
import { isKnownFinding } from '../../configuration/public.ts';
import type { ShieldVerdictName } from './tables.ts';

const MINUTE_MS = 60_000;
/** Synchronised clocks differ by less. */
const CLOCK_AHEAD_MAX_MS = 60_000;
/** The minutes that a filter keeps, plus the time to report them. */
const CLOCK_BEHIND_MAX_MS = (SHIELD_MINUTES_KEPT + 5) * MINUTE_MS;
/** More than any filter counts; a larger number is not a count. */
const TOTAL_MAX = 10n ** 13n;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const POLICY = /^[A-Za-z0-9][\w.-]{0,127}$/;
const VERDICTS = new Map<fleet.ShieldVerdict, ShieldVerdictName>([
  [fleet.ShieldVerdict.ALLOWED, 'allowed'],
  [fleet.ShieldVerdict.BLOCKED, 'blocked'],
  [fleet.ShieldVerdict.DETECTED, 'detected'],
  [fleet.ShieldVerdict.ERROR, 'error'],
]);

/** The progress of one counter in one minute, for one run (epoch) of a service's filter on a client. */
export interface CounterRow {
  readonly client_id: string;
  readonly service_id: string;
  readonly epoch: string;
  readonly policy: string;
  readonly engine: string;
  readonly reason: string;
  readonly verdict: ShieldVerdictName;
  /** The total at the start of the minute: a gap below it was counted in a dropped minute. */
  readonly before: number;
  readonly total: number;
  readonly minute: string;
  /** The minute is the controller's, because the filter's clock is wrong. */
  readonly clock_off: boolean;
}

/** A filter has reported a minute, even without counts. */
export interface ReportRow {
  readonly client_id: string;
  readonly service_id: string;
  readonly minute: string;
}

export interface Reading {
  /** Ordered by total for each counter. */
  readonly rows: readonly CounterRow[];
  readonly reports: readonly ReportRow[];
  /** Number of the last completed minute. */
  readonly lastSeq: bigint | undefined;
}

export function toMinute(ms: number): string {
  return new Date(ms - (ms % MINUTE_MS)).toISOString();
}

/** Omits invalid rows; undefined if the whole message is invalid and so not from our agents. */
export function toReading(clientId: string, report: fleet.ShieldCounters, now: Date): Reading | undefined {
  const { serviceId, epoch, counters, minutes } = report;
  if (!UUID.test(serviceId) || !UUID.test(epoch)) return undefined;
  const run = { client_id: clientId, service_id: serviceId, epoch };
  const heard = { minute: toMinute(now.getTime()), clock_off: false };
  const isStamped = minutes.length > 0;
  const rows: CounterRow[] = [];
  const reports: ReportRow[] = [];
  for (const { minuteMs, counters: grown } of minutes.slice(-SHIELD_MINUTES_KEPT - 1)) {
    const place = placeMinute(Number(minuteMs), now);
    for (const counter of grown) rows.push(...toRow(counter, { ...run, ...place, before: counter.before }));
    if (!place.clock_off) reports.push({ client_id: clientId, service_id: serviceId, minute: place.minute });
  }
  // With minutes, the totals only reveal what was counted in dropped minutes.
  for (const counter of counters)
    rows.push(...toRow(counter, { ...run, ...heard, before: isStamped ? counter.total : 0n }));
  if (!isStamped) reports.push({ client_id: clientId, service_id: serviceId, minute: heard.minute });
  return { rows, reports, lastSeq: minutes.findLast(({ open }) => !open)?.seq };
}

/** If the clock is implausible, the minute of arrival is used. */
function placeMinute(ms: number, now: Date): { minute: string; clock_off: boolean } {
  const aheadMs = ms - now.getTime();
  const isOff = !(aheadMs <= CLOCK_AHEAD_MAX_MS && -aheadMs <= CLOCK_BEHIND_MAX_MS);
  return { minute: toMinute(isOff ? now.getTime() : ms), clock_off: isOff };
}

type Place = Omit<CounterRow, 'policy' | 'engine' | 'reason' | 'verdict' | 'total' | 'before'> & { before: bigint };

function toRow(counter: fleet.PolicyCounter | fleet.MinuteCounter, place: Place): CounterRow[] {
  const { policy, engine, reason, verdict, total } = counter;
  const name = VERDICTS.get(verdict);
  if (name === undefined || !POLICY.test(policy) || !isCode(name, engine, reason)) return [];
  if (total > TOTAL_MAX || place.before > total) return [];
  return [{ ...place, policy, engine, reason, verdict: name, before: Number(place.before), total: Number(total) }];
}

function isCode(verdict: ShieldVerdictName, engine: string, reason: string): boolean {
  return verdict === 'allowed' ? engine === '' && reason === '' : isKnownFinding(engine, reason);
}
