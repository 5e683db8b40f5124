import type { fleet } from '@flotilla/proto';

/** Runs of one filter that are remembered: a filter that ends again and again while nobody listens costs no more. */
const RUNS_PER_SERVICE_MAX = 16;
/** A run that counts nothing for as long as the controller keeps series is told once more if it still goes on. */
const FORGET_MS = 7 * 86_400_000;

interface Kept {
  readonly reading: fleet.ShieldCounters;
  readonly sum: bigint;
  readonly changedAtMs: number;
}

/**
 * The newest reading of every run (epoch) of every filter on this host. Totals only grow within a run, so the newest reading
 * stands for all before it: what was lost on the way is told with the next, and nothing is counted twice.
 *
 * Lost for good is only what a filter counted between its last reading and its sudden end, and what an ended filter counted
 * that was not told before the agent itself ended.
 */
export class ShieldReadings {
  /** By service, then by epoch; the newest run last. */
  readonly #kept = new Map<string, Map<string, Kept>>();

  /** Takes readings in; returns those that say something new. */
  take(readings: readonly fleet.ShieldCounters[], nowMs: number): fleet.ShieldCounters[] {
    const news = readings.filter((reading) => this.#takeOne(reading, nowMs));
    this.#forget(nowMs);
    return news;
  }

  /** Everything to be told on a new stream. */
  all(): fleet.ShieldCounters[] {
    return [...this.#kept.values()].flatMap((runs) => [...runs.values()].map(({ reading }) => reading));
  }

  #takeOne(reading: fleet.ShieldCounters, nowMs: number): boolean {
    const sum = reading.counters.reduce((total, counter) => total + counter.total, 0n);
    const runs = this.#kept.get(reading.serviceId) ?? new Map<string, Kept>();
    const known = runs.get(reading.epoch);
    // Every total only grows: the sum is the same when nothing was counted, smaller in a reading that comes late.
    if (sum <= (known?.sum ?? 0n)) return false;
    runs.delete(reading.epoch);
    runs.set(reading.epoch, { reading, sum, changedAtMs: nowMs });
    this.#kept.set(reading.serviceId, runs);
    const [oldest] = runs.keys();
    if (runs.size > RUNS_PER_SERVICE_MAX && oldest !== undefined) runs.delete(oldest);
    return true;
  }

  #forget(nowMs: number): void {
    for (const [serviceId, runs] of this.#kept) {
      for (const [epoch, { changedAtMs }] of runs) if (nowMs - changedAtMs > FORGET_MS) runs.delete(epoch);
      if (runs.size === 0) this.#kept.delete(serviceId);
    }
  }
}
