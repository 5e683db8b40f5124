import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import { isRecord, readAdmin } from './read-admin.ts';

/** Far more than policies times reasons of any service. */
const COUNTERS_MAX = 5_000;
const TIMEOUT_MS = 1_000;

const VERDICTS: ReadonlyMap<unknown, fleet.ShieldVerdict> = new Map([
  ['allowed', fleet.ShieldVerdict.ALLOWED],
  ['blocked', fleet.ShieldVerdict.BLOCKED],
  ['detected', fleet.ShieldVerdict.DETECTED],
  ['error', fleet.ShieldVerdict.ERROR],
]);

/** What the filter has counted since it began; undefined when it does not answer, or answers as an older one would. */
export function readShieldCounters(adminSocket: string, serviceId: string): Promise<fleet.ShieldCounters | undefined> {
  return readAdmin(adminSocket, {
    path: '/countersz',
    timeoutMs: TIMEOUT_MS,
    parse: (answer) => parseShieldCounters(answer, serviceId),
  });
}

/** Counters that have not the right form are left out. */
export function parseShieldCounters(value: unknown, serviceId: string): fleet.ShieldCounters | undefined {
  if (!isRecord(value) || typeof value.epoch !== 'string' || !Array.isArray(value.counters)) return undefined;
  const counters = value.counters.slice(0, COUNTERS_MAX).flatMap((one: unknown) => {
    if (!isRecord(one)) return [];
    const { policy, engine, reason, total } = one;
    const verdict = VERDICTS.get(one.verdict);
    if (typeof policy !== 'string' || typeof engine !== 'string' || typeof reason !== 'string') return [];
    if (verdict === undefined || !Number.isSafeInteger(total) || Number(total) < 0) return [];
    return [create(fleet.PolicyCounterSchema, { policy, engine, reason, verdict, total: BigInt(Number(total)) })];
  });
  return create(fleet.ShieldCountersSchema, { serviceId, epoch: value.epoch, counters });
}
