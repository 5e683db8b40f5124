import { create } from '@bufbuild/protobuf';
import { SHIELD_MINUTE_COUNTERS_KEPT, SHIELD_MINUTES_KEPT } from '@flotilla/policy';
import { fleet } from '@flotilla/proto';

/**
 * Limit of remembered runs per filter, so that a filter that keeps ending while no controller listens needs no more
 * memory.
 */
const RUNS_PER_SERVICE_MAX = 16;
/** A run that counts nothing for as long as the controller keeps series is sent once more if it still continues. */
const FORGET_MS = 7 * 86_400_000;
/** Limit of minute counters per message, well below the size limit of a message. */
const COUNTERS_PER_MESSAGE = 10_000;

interface Kept {
  /** Holds the newest totals, without minutes. */
  reading: fleet.ShieldCounters;
  sum: bigint;
  changedAtMs: number;
  /** Minutes that have ended and are not stored by the controller yet, oldest first. */
  closed: fleet.ShieldMinute[];
  open: fleet.ShieldMinute | undefined;
  /** Sequence number of the last ended minute. */
  lastSeq: bigint;
}

/**
 * What every run (epoch) of every filter on this host has counted, and in which minutes. Totals only grow within a run, so
 * what was lost on the way is told with the next reading, and nothing is counted twice. Minutes are told until the controller
 * has stored them; of a controller that stays away longer than an hour the oldest are dropped, and the totals show by how much.
 *
 * Minutes are kept in memory only. The filter keeps its own, so an agent that is started again reads them there. Lost for
 * good is only what a filter counted between its last reading and its sudden end, and what an ended filter counted that was
 * not told before the agent itself ended.
 */
export class ShieldReadings {
  /** Maps service to epoch to run, with the newest run last. */
  readonly #kept = new Map<string, Map<string, Kept>>();

  /** Takes readings in and returns the messages for those with changes. */
  take(readings: readonly fleet.ShieldCounters[], nowMs: number): fleet.ShieldCounters[] {
    const news = readings.flatMap((reading) => this.#takeOne(reading, nowMs) ?? []);
    this.#forget(nowMs);
    return news.map(toMessage);
  }

  /** Returns all messages to send on a new stream. */
  all(): fleet.ShieldCounters[] {
    return [...this.#kept.values()].flatMap((runs) => [...runs.values()].map(toMessage));
  }

  /** Drops the minutes that the controller has stored. Returns the next message if not everything fitted into one. */
  stored({ serviceId, epoch, seq }: fleet.ShieldMinutesStored): fleet.ShieldCounters | undefined {
    const run = this.#kept.get(serviceId)?.get(epoch);
    if (!run) return undefined;
    const wasCut = countFitting(run.closed) < run.closed.length;
    run.closed = run.closed.filter((minute) => minute.seq > seq);
    return wasCut ? toMessage(run) : undefined;
  }

  #takeOne(reading: fleet.ShieldCounters, nowMs: number): Kept | undefined {
    const runs = this.#kept.get(reading.serviceId) ?? new Map<string, Kept>();
    const run = runs.get(reading.epoch) ?? createRun(reading);
    if (!takeIn(run, reading)) return undefined;
    run.changedAtMs = nowMs;
    runs.delete(reading.epoch);
    runs.set(reading.epoch, run);
    this.#kept.set(reading.serviceId, runs);
    const [oldest] = runs.keys();
    if (runs.size > RUNS_PER_SERVICE_MAX && oldest !== undefined) runs.delete(oldest);
    return run;
  }

  #forget(nowMs: number): void {
    for (const [serviceId, runs] of this.#kept) {
      for (const [epoch, { changedAtMs }] of runs) if (nowMs - changedAtMs > FORGET_MS) runs.delete(epoch);
      if (runs.size === 0) this.#kept.delete(serviceId);
    }
  }
}

function createRun({ serviceId, epoch }: fleet.ShieldCounters): Kept {
  const reading = create(fleet.ShieldCountersSchema, { serviceId, epoch });
  return { reading, sum: 0n, changedAtMs: 0, closed: [], open: undefined, lastSeq: 0n };
}

/** Returns false if the reading has no changes. */
function takeIn(run: Kept, { serviceId, epoch, counters, minutes }: fleet.ShieldCounters): boolean {
  const sum = counters.reduce((total, counter) => total + counter.total, 0n);
  const fresh = minutes.filter((minute) => !minute.open && minute.seq > run.lastSeq);
  // Every total only grows. The sum is therefore equal when there was nothing to count, and smaller in a late reading.
  if (sum <= run.sum && fresh.length === 0) return false;
  run.closed.push(...fresh);
  run.lastSeq = fresh.at(-1)?.seq ?? run.lastSeq;
  let kept = run.closed.reduce((total, minute) => total + minute.counters.length, 0);
  while (run.closed.length > SHIELD_MINUTES_KEPT || kept > SHIELD_MINUTE_COUNTERS_KEPT) {
    kept -= run.closed.shift()?.counters.length ?? 0;
  }
  if (sum < run.sum) return true;
  run.reading = create(fleet.ShieldCountersSchema, { serviceId, epoch, counters });
  run.sum = sum;
  run.open = minutes.find(({ open }) => open);
  return true;
}

/** Returns how many of the oldest minutes fit into one message, at least one. */
function countFitting(minutes: readonly fleet.ShieldMinute[]): number {
  let room = COUNTERS_PER_MESSAGE;
  const cut = minutes.findIndex(({ counters }) => {
    room -= counters.length;
    return room < 0;
  });
  return cut === -1 ? minutes.length : Math.max(1, cut);
}

function toMessage({ reading: { serviceId, epoch, counters }, closed, open }: Kept): fleet.ShieldCounters {
  const fitting = countFitting(closed);
  // With totals, the controller would count the remaining minutes as lost.
  if (fitting < closed.length)
    return create(fleet.ShieldCountersSchema, { serviceId, epoch, minutes: closed.slice(0, fitting) });
  return create(fleet.ShieldCountersSchema, { serviceId, epoch, counters, minutes: open ? [...closed, open] : closed });
}
