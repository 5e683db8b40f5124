import type { Db, ShieldVerdictName } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { FlushLoop } from '../../flush-loop.ts';
import { isKnownFinding } from '../policies/index.ts';
import { addCounts, type CounterRow } from './counter-store.ts';
import { mergeSamples, type NetworkMark, toMinuteSample, toNetworkMark } from './sample.ts';
import { addSamples, type NewestStats, type SampleRow, storeNewest } from './sample-store.ts';

const FLUSH_INTERVAL_MS = 5_000;
/** Rows of one statement. */
const CHUNK = 2_000;
/** Totals of one client that wait for the next flush; what is beyond is told again when its filter counts on. */
const ROWS_PER_CLIENT_MAX = 20_000;
const MINUTE_MS = 60_000;
/** More than any filter counts; what an agent says beyond it is no count. */
const TOTAL_MAX = 10n ** 13n;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const POLICY = /^[A-Za-z0-9][\w.-]{0,127}$/;
const VERDICTS = new Map<fleet.ShieldVerdict, ShieldVerdictName>([
  [fleet.ShieldVerdict.ALLOWED, 'allowed'],
  [fleet.ShieldVerdict.BLOCKED, 'blocked'],
  [fleet.ShieldVerdict.DETECTED, 'detected'],
  [fleet.ShieldVerdict.ERROR, 'error'],
]);

export interface MetricsRecorderDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly now: () => Date;
  /** The newest sample as it is shown with the client. */
  readonly toNewest: (stats: fleet.HostStats) => Omit<NewestStats, 'client_id' | 'at'>;
  readonly flushIntervalMs?: number;
}

/** Totals of one client, by service and epoch. */
interface Waiting {
  rows: number;
  readonly byRun: Map<string, readonly CounterRow[]>;
}

/**
 * Gathers what agents measure and count, and writes it down for all of them at once, every few seconds: the number of
 * statements does not depend on the number of clients. What a controller that is killed had not written is lost of host
 * samples (seconds); counters are told again as totals.
 */
export class MetricsRecorder implements Closable {
  readonly #deps: MetricsRecorderDeps;
  readonly #loop: FlushLoop;
  readonly #marks = new Map<string, NetworkMark>();
  #samples = new Map<string, SampleRow>();
  #newest = new Map<string, NewestStats>();
  /** By client: the totals of the newest reading of each run. */
  #totals = new Map<string, Waiting>();

  constructor(deps: MetricsRecorderDeps) {
    this.#deps = deps;
    this.#loop = new FlushLoop({
      intervalMs: deps.flushIntervalMs ?? FLUSH_INTERVAL_MS,
      write: () => this.#write(),
      onFailure: (error) => deps.logger.warn({ err: error }, 'metrics.flush_failed'),
    });
  }

  noteStats(clientId: string, stats: fleet.HostStats): void {
    const now = this.#deps.now();
    const sample = toMinuteSample(stats, this.#marks.get(clientId));
    this.#marks.set(clientId, toNetworkMark(stats));
    // By our clock: agents' clocks may be anywhere.
    const minute = new Date(now.getTime() - (now.getTime() % MINUTE_MS)).toISOString();
    const key = `${clientId} ${minute}`;
    const before = this.#samples.get(key);
    this.#samples.set(key, { ...(before ? mergeSamples(before, sample) : sample), client_id: clientId, minute });
    this.#newest.set(clientId, { client_id: clientId, at: now.toISOString(), ...this.#deps.toNewest(stats) });
  }

  /** Only the newest reading of a run counts: totals grow. */
  noteCounters(clientId: string, reading: fleet.ShieldCounters): void {
    if (!UUID.test(reading.serviceId) || !UUID.test(reading.epoch)) return;
    this.#keepTotals(clientId, `${reading.serviceId} ${reading.epoch}`, toRows(clientId, reading));
  }

  /** The client's stream has ended. What it has told is written all the same. */
  forget(clientId: string): void {
    this.#marks.delete(clientId);
  }

  /** Writes what has come in. Flushes come one after the other. */
  flush(): Promise<void> {
    return this.#loop.flush();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  async #write(): Promise<void> {
    const { db, now } = this.#deps;
    const [samples, newest, totals] = [this.#samples, this.#newest, this.#totals];
    this.#samples = new Map();
    this.#newest = new Map();
    this.#totals = new Map();
    const written = await Promise.allSettled([
      this.#writeAll([...samples.values()], (rows) => addSamples(db, rows)),
      this.#writeAll([...newest.values()], (rows) => storeNewest(db, rows)),
      this.#writeCounts(totals, now()),
    ]);
    for (const one of written) if (one.status === 'rejected') throw one.reason;
  }

  async #writeCounts(totals: ReadonlyMap<string, Waiting>, now: Date) {
    const all = [...totals.values()].flatMap(({ byRun }) => [...byRun.values()].flat());
    try {
      await this.#writeAll(all, (rows) => addCounts(this.#deps.db, rows, now));
    } catch (error) {
      // Totals that were written already add nothing the second time.
      for (const [clientId, { byRun }] of totals) {
        for (const [run, rows] of byRun)
          if (!this.#totals.get(clientId)?.byRun.has(run)) this.#keepTotals(clientId, run, rows);
      }
      throw error;
    }
  }

  async #writeAll<T>(rows: readonly T[], write: (some: readonly T[]) => Promise<void>): Promise<void> {
    for (let i = 0; i < rows.length; i += CHUNK) await write(rows.slice(i, i + CHUNK));
  }

  #keepTotals(clientId: string, run: string, rows: readonly CounterRow[]): void {
    if (rows.length === 0) return;
    const waiting = this.#totals.get(clientId) ?? { rows: 0, byRun: new Map<string, readonly CounterRow[]>() };
    const after = waiting.rows - (waiting.byRun.get(run)?.length ?? 0) + rows.length;
    if (after > ROWS_PER_CLIENT_MAX) return;
    waiting.byRun.set(run, rows);
    waiting.rows = after;
    this.#totals.set(clientId, waiting);
  }
}

/** What has not the right form is left out: it is not from an agent of ours. */
function toRows(clientId: string, { serviceId, epoch, counters }: fleet.ShieldCounters): CounterRow[] {
  return counters.flatMap(({ policy, engine, reason, verdict, total }) => {
    const name = VERDICTS.get(verdict);
    if (name === undefined || !POLICY.test(policy) || !isCode(name, engine, reason) || total > TOTAL_MAX) return [];
    const key = { client_id: clientId, service_id: serviceId, epoch };
    return [{ ...key, policy, engine, reason, verdict: name, total: Number(total) }];
  });
}

function isCode(verdict: ShieldVerdictName, engine: string, reason: string): boolean {
  return verdict === 'allowed' ? engine === '' && reason === '' : isKnownFinding(engine, reason);
}
