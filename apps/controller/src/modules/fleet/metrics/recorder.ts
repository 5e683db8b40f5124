import type { Db } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { FlushLoop } from '../../../platform/database/flush-loop.ts';
import { addCounts } from './counter-store.ts';
import { type Reading, type ReportRow, toMinute, toReading } from './reading.ts';
import { addReports } from './report-store.ts';
import { mergeSamples, type NetworkMark, toMinuteSample, toNetworkMark } from './sample.ts';
import { addSamples, type NewestStats, type SampleRow, storeNewest } from './sample-store.ts';

const FLUSH_INTERVAL_MS = 5_000;
/** Rows per statement. */
const CHUNK = 2_000;
/** Waiting rows per client; the agent repeats the rest with its filter's next counts. */
const ROWS_PER_CLIENT_MAX = 40_000;
const UNSTAMPED_PER_CLIENT_MAX = 1_000;

export interface MetricsRecorderDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Converts a sample to the newest stats shown with the client. */
  readonly toNewest: (stats: fleet.HostStats) => Omit<NewestStats, 'client_id' | 'at'>;
  readonly flushIntervalMs?: number;
}

interface WaitingReading extends Reading {
  readonly resolve: (storedSeq: bigint | undefined) => void;
}

/** Counter reports of one client, by service and epoch. */
interface Waiting {
  rows: number;
  readonly byRun: Map<string, WaitingReading>;
}

/**
 * Collects samples and counters of all agents and writes them every few seconds, so that the number of statements does
 * not depend on the number of clients. If a controller is killed, a few seconds of host samples are lost; counters are
 * repeated as totals.
 */
export class MetricsRecorder implements Closable {
  readonly #deps: MetricsRecorderDeps;
  readonly #loop: FlushLoop;
  readonly #marks = new Map<string, NetworkMark>();
  #samples = new Map<string, SampleRow>();
  #newest = new Map<string, NewestStats>();
  /** By client: the newest report of each run. */
  #readings = new Map<string, Waiting>();
  /** By client: services whose filters do not report minutes. */
  readonly #unstamped = new Map<string, Set<string>>();
  #reports = new Map<string, ReportRow>();

  constructor(deps: MetricsRecorderDeps) {
    this.#deps = deps;
    this.#loop = new FlushLoop({
      intervalMs: deps.flushIntervalMs ?? FLUSH_INTERVAL_MS,
      write: () => this.#write(),
      onFailure: (error) => deps.logger.warn({ err: error }, 'metrics.flush_failed'),
    });
  }

  noteStats(clientId: string, stats: fleet.HostStats): void {
    this.#noteUnstamped(clientId);
    const now = this.#deps.now();
    const sample = toMinuteSample(stats, this.#marks.get(clientId));
    this.#marks.set(clientId, toNetworkMark(stats));
    // Uses our clock, because agents' clocks may be wrong.
    const minute = toMinute(now.getTime());
    const key = `${clientId} ${minute}`;
    const before = this.#samples.get(key);
    this.#samples.set(key, { ...(before ? mergeSamples(before, sample) : sample), client_id: clientId, minute });
    this.#newest.set(clientId, { client_id: clientId, at: now.toISOString(), ...this.#deps.toNewest(stats) });
  }

  /**
   * Only the newest report of a run is written: it contains the minutes of earlier ones that were not stored. Resolves
   * after storing with the last minute that the agent need not repeat.
   */
  noteCounters(clientId: string, report: fleet.ShieldCounters): Promise<bigint | undefined> {
    const reading = toReading(clientId, report, this.#deps.now());
    const { promise, resolve } = Promise.withResolvers<bigint | undefined>();
    if (reading === undefined) resolve(undefined);
    else {
      this.#noteStamped(clientId, report);
      this.#keepReading(clientId, `${report.serviceId} ${report.epoch}`, { ...reading, resolve });
    }
    return promise;
  }

  /** The client's stream has ended. Its reports are still written. */
  forget(clientId: string): void {
    this.#marks.delete(clientId);
    this.#unstamped.delete(clientId);
  }

  /** Writes what is waiting. Flushes run one after the other. */
  flush(): Promise<void> {
    return this.#loop.flush();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  async #write(): Promise<void> {
    const { db, now } = this.#deps;
    const [samples, newest, readings] = [this.#samples, this.#newest, this.#readings];
    const reports = this.#reports;
    this.#samples = new Map();
    this.#newest = new Map();
    this.#readings = new Map();
    this.#reports = new Map();
    const written = await Promise.allSettled([
      this.#writeAll([...samples.values()], (rows) => addSamples(db, rows)),
      this.#writeAll([...newest.values()], (rows) => storeNewest(db, rows)),
      this.#writeAll([...reports.values()], (rows) => addReports(db, rows)),
      this.#writeReadings(readings, now()),
    ]);
    for (const one of written) if (one.status === 'rejected') throw one.reason;
  }

  async #writeReadings(waiting: ReadonlyMap<string, Waiting>, now: Date): Promise<void> {
    const all = [...waiting.values()].flatMap(({ byRun }) => [...byRun.values()]);
    try {
      await this.#writeAll(
        all.flatMap(({ rows }) => rows),
        (rows) => addCounts(this.#deps.db, rows, now),
      );
      await this.#writeAll(
        all.flatMap(({ reports }) => reports),
        (rows) => addReports(this.#deps.db, rows),
      );
    } catch (error) {
      // Writing the same rows again adds nothing.
      for (const [clientId, { byRun }] of waiting) {
        for (const [run, reading] of byRun) {
          if (this.#readings.get(clientId)?.byRun.has(run)) reading.resolve(undefined);
          else this.#keepReading(clientId, run, reading);
        }
      }
      throw error;
    }
    for (const { resolve, lastSeq } of all) resolve(lastSeq);
  }

  async #writeAll<T>(rows: readonly T[], write: (some: readonly T[]) => Promise<void>): Promise<void> {
    for (let i = 0; i < rows.length; i += CHUNK) await write(rows.slice(i, i + CHUNK));
  }

  #keepReading(clientId: string, run: string, reading: WaitingReading): void {
    const waiting = this.#readings.get(clientId) ?? { rows: 0, byRun: new Map<string, WaitingReading>() };
    const replaced = waiting.byRun.get(run);
    const after = waiting.rows - (replaced ? sizeOf(replaced) : 0) + sizeOf(reading);
    if (after > ROWS_PER_CLIENT_MAX) {
      reading.resolve(undefined);
      return;
    }
    replaced?.resolve(undefined);
    waiting.byRun.set(run, reading);
    waiting.rows = after;
    this.#readings.set(clientId, waiting);
  }

  #noteStamped(clientId: string, { serviceId, minutes }: fleet.ShieldCounters): void {
    const services = this.#unstamped.get(clientId) ?? new Set();
    if (minutes.length > 0) services.delete(serviceId);
    else if (services.size < UNSTAMPED_PER_CLIENT_MAX) services.add(serviceId);
    if (services.size > 0) this.#unstamped.set(clientId, services);
    else this.#unstamped.delete(clientId);
  }

  /** A filter without minutes sends nothing while nothing is counted: the agent's presence counts as a report. */
  #noteUnstamped(clientId: string): void {
    const minute = toMinute(this.#deps.now().getTime());
    for (const serviceId of this.#unstamped.get(clientId) ?? []) {
      this.#reports.set(`${clientId} ${serviceId} ${minute}`, { client_id: clientId, service_id: serviceId, minute });
    }
  }
}

function sizeOf({ rows, reports }: Reading): number {
  return rows.length + reports.length;
}
