import { create } from '@bufbuild/protobuf';
import { SHIELD_MINUTE_COUNTERS_KEPT, SHIELD_MINUTES_KEPT } from '@flotilla/policy';
import { fleet } from '@flotilla/proto';
import type { ServiceSocket } from '../service-socket.ts';
import { isRecord, readAdmin } from './read-admin.ts';

/** Limit far above the number of policies times reasons of any service. */
const COUNTERS_MAX = 5_000;
const ANSWER_MAX_BYTES = 8 * 1024 * 1024;
const EPOCH_MAX_CHARS = 100;
const TIMEOUT_MS = 1_000;

const VERDICTS: ReadonlyMap<unknown, fleet.ShieldVerdict> = new Map([
  ['allowed', fleet.ShieldVerdict.ALLOWED],
  ['blocked', fleet.ShieldVerdict.BLOCKED],
  ['detected', fleet.ShieldVerdict.DETECTED],
  ['error', fleet.ShieldVerdict.ERROR],
]);

/** The last complete minute that was read from a filter: the run, and the number in that run. */
export interface MinuteCursor {
  readonly epoch: string;
  readonly seq: number;
}

/**
 * Reads the filter's totals since its start, and its minutes after `cursor`. Returns undefined if there is no response or an
 * older filter has sent it.
 */
export async function readShieldCounters(
  adminSocket: ServiceSocket,
  serviceId: string,
  cursor: MinuteCursor = { epoch: '', seq: 0 },
): Promise<fleet.ShieldCounters | undefined> {
  const read = (after: number) =>
    readAdmin(adminSocket, {
      path: `/countersz?after=${after}`,
      timeoutMs: TIMEOUT_MS,
      maxBytes: ANSWER_MAX_BYTES,
      parse: (answer) => parseShieldCounters(answer, serviceId),
    });
  const found = await read(cursor.seq);
  // A restarted filter numbers its minutes from the beginning.
  return found === undefined || found.epoch === cursor.epoch || cursor.seq === 0 ? found : read(0);
}

/** Parses the response of `/countersz`. Omits malformed counters and minutes. */
export function parseShieldCounters(value: unknown, serviceId: string): fleet.ShieldCounters | undefined {
  if (!isRecord(value) || typeof value.epoch !== 'string' || !Array.isArray(value.counters)) return undefined;
  if (value.epoch.length > EPOCH_MAX_CHARS) return undefined;
  const counters = value.counters.slice(0, COUNTERS_MAX).flatMap((one: unknown) => {
    const counter = parseCounter(one);
    return counter ? [create(fleet.PolicyCounterSchema, counter)] : [];
  });
  return create(fleet.ShieldCountersSchema, {
    serviceId,
    epoch: value.epoch,
    counters,
    minutes: parseMinutes(value.minutes),
  });
}

function parseMinutes(value: unknown): fleet.ShieldMinute[] {
  if (!Array.isArray(value)) return [];
  let room = SHIELD_MINUTE_COUNTERS_KEPT + COUNTERS_MAX;
  // The response has up to SHIELD_MINUTES_KEPT complete minutes and the open one.
  return value.slice(-SHIELD_MINUTES_KEPT - 1).flatMap((one: unknown) => {
    if (!isRecord(one) || !Array.isArray(one.counters)) return [];
    const minuteMs = typeof one.minute === 'string' ? Date.parse(one.minute) : Number.NaN;
    const seq = toCount(one.seq);
    room -= one.counters.length;
    if (Number.isNaN(minuteMs) || seq === undefined || room < 0) return [];
    const counters = one.counters.flatMap((counter: unknown) => parseMinuteCounter(counter) ?? []);
    return [create(fleet.ShieldMinuteSchema, { seq, minuteMs: BigInt(minuteMs), open: one.open === true, counters })];
  });
}

function parseMinuteCounter(value: unknown): fleet.MinuteCounter | undefined {
  const counter = parseCounter(value);
  const before = isRecord(value) ? toCount(value.before) : undefined;
  if (!counter || before === undefined || before > counter.total) return undefined;
  return create(fleet.MinuteCounterSchema, { ...counter, before });
}

function parseCounter(value: unknown) {
  if (!isRecord(value)) return undefined;
  const { policy, engine, reason } = value;
  const verdict = VERDICTS.get(value.verdict);
  const total = toCount(value.total);
  if (typeof policy !== 'string' || typeof engine !== 'string' || typeof reason !== 'string') return undefined;
  if (verdict === undefined || total === undefined) return undefined;
  return { policy, engine, reason, verdict, total };
}

function toCount(value: unknown): bigint | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
}
