import { create } from '@bufbuild/protobuf';
import { SHIELD_MINUTE_COUNTERS_KEPT, SHIELD_MINUTES_KEPT } from '@flotilla/policy';
import { fleet } from '@flotilla/proto';

/**
 * Limit of remembered runs per filter. It bounds the memory for a filter that keeps crashing while the controller is away.
 */
const RUNS_PER_SERVICE_MAX = 16;
/** Time after which a run without changes is forgotten. The controller keeps series for the same time. */
const FORGET_MS = 7 * 86_400_000;
/** Limit of minute counters per message, well below the size limit of a message. */
const COUNTERS_PER_MESSAGE = 10_000;

interface Kept {
  /** The newest totals, without minutes. */
  reading: fleet.ShieldCounters;
  sum: bigint;
  changedAtMs: number;
  /** Minutes that have ended and that the controller has not stored yet, oldest first. */
  closed: fleet.ShieldMinute[];
  open: fleet.ShieldMinute | undefined;
  /** Sequence number of the last ended minute. */
  lastSeq: bigint;
}

/**
 * Holds the totals and minutes that each run (epoch) of each filter on this host has counted. Totals only grow within a run, so
 * the next reading makes up for a lost message, and nothing is counted twice. Minutes are sent until the controller has stored
 * them. If the controller is away for more than an hour, the oldest minutes are dropped, and the totals show how much is missing.
 *
 * Minutes are only in memory. A running filter keeps its own, so a restarted agent reads them again. Counts are lost only if a
 * filter ends unexpectedly after its last reading, or if the agent ends before it has sent the counts of an ended filter.
 */
export class ShieldReadings {
  /** Maps service to epoch to run, with the newest run last. */
  readonly #kept = new Map<string, Map<string, Kept>>();

  /** Adds readings. Returns a message for each reading with changes. */
  add(readings: readonly fleet.ShieldCounters[], nowMs: number): fleet.ShieldCounters[] {
    const changed = readings.flatMap((reading) => this.#addOne(reading, nowMs) ?? []);
    this.#forget(nowMs);
    return changed.map(toMessage);
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

  #addOne(reading: fleet.ShieldCounters, nowMs: number): Kept | undefined {
    const runs = this.#kept.get(reading.serviceId) ?? new Map<string, Kept>();
    const run = runs.get(reading.epoch) ?? createRun(reading);
    if (!merge(run, reading)) return undefined;
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

/** Merges the reading into the run. Returns false if it has no changes. */
function merge(run: Kept, { serviceId, epoch, counters, minutes }: fleet.ShieldCounters): boolean {
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
