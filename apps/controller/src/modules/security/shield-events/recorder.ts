import { type Db, isRefusedValue } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { FlushLoop } from '../../../platform/database/flush-loop.ts';
import { addEvents } from './event-store.ts';
import { type EventRow, toEventRows } from './model.ts';
import { trimProject } from './prune-store.ts';

const FLUSH_INTERVAL_MS = 1_000;
/** Rows per statement. */
const CHUNK = 2_000;
/** Waiting rows per client; fewer once many wait in total. */
const WAITING_PER_CLIENT_MAX = 1_000;
const WAITING_PER_CLIENT_CROWDED = 100;
const CROWDED = 20_000;
/** Rows per client and minute. Our agents limit their filters to less. */
const ROWS_PER_CLIENT_AND_MINUTE = 12_000;
const MINUTE_MS = 60_000;
/** A project is trimmed each time this many rows were added. */
const TRIM_EVERY = 10_000;

export interface ShieldEventRecorderDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly now: () => Date;
  readonly flushIntervalMs?: number;
  readonly trimEvery?: number;
}

interface Waiting {
  readonly clientId: string;
  readonly rows: readonly EventRow[];
  readonly resolve: (isStored: boolean) => void;
}

/**
 * Collects findings of all agents and writes them every second, so that the number of statements does not depend on the
 * number of clients. Nothing is lost: an agent keeps everything that was not acknowledged. An agent above its share
 * gets no acknowledgement until it sends less.
 */
export class ShieldEventRecorder implements Closable {
  readonly #deps: ShieldEventRecorderDeps;
  readonly #loop: FlushLoop;
  #waiting: Waiting[] = [];
  /** Not answered yet, including those being written. */
  readonly #open = new Set<Waiting>();
  #waitingRows = 0;
  readonly #waitingOf = new Map<string, number>();
  #minute = 0;
  /** Rows accepted in this minute, by client. */
  readonly #takenOf = new Map<string, number>();
  /** Rows since the last trim, by project. */
  readonly #grown = new Map<string, number>();

  constructor(deps: ShieldEventRecorderDeps) {
    this.#deps = deps;
    this.#loop = new FlushLoop({
      intervalMs: deps.flushIntervalMs ?? FLUSH_INTERVAL_MS,
      write: () => this.#write(),
      onFailure: (error) => deps.logger.warn({ err: error }, 'shield_events.flush_failed'),
    });
  }

  /** Resolves to true if the agent may forget the events, and to false if it must send them again. */
  async note(clientId: string, report: fleet.ShieldEvents): Promise<boolean> {
    const rows = toEventRows(clientId, report, this.#deps.now());
    if (rows.length === 0) return true;
    if (!this.#admit(clientId, rows.length)) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const one = { clientId, rows, resolve };
    this.#waiting.push(one);
    this.#open.add(one);
    return promise;
  }

  /** Writes the waiting events. Flushes run one after the other. */
  flush(): Promise<void> {
    return this.#loop.flush();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  #admit(clientId: string, rows: number): boolean {
    const minute = Math.floor(this.#deps.now().getTime() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#takenOf.clear();
    }
    const taken = (this.#takenOf.get(clientId) ?? 0) + rows;
    const waiting = (this.#waitingOf.get(clientId) ?? 0) + rows;
    const most = this.#waitingRows < CROWDED ? WAITING_PER_CLIENT_MAX : WAITING_PER_CLIENT_CROWDED;
    if (taken > ROWS_PER_CLIENT_AND_MINUTE || waiting > most) return false;
    this.#takenOf.set(clientId, taken);
    this.#waitingOf.set(clientId, waiting);
    this.#waitingRows += rows;
    return true;
  }

  async #write(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let i = 0; i < waiting.length; ) {
      const some: Waiting[] = [];
      for (let rows = 0; i < waiting.length && rows < CHUNK; i += 1) {
        const one = waiting[i];
        if (one) some.push(one);
        rows += one?.rows.length ?? 0;
      }
      try {
        await this.#writeSome(some);
      } catch (error) {
        // Nothing is acknowledged: the agents send what waits again.
        for (const one of waiting.slice(i)) this.#settle(one, false);
        throw error;
      }
    }
  }

  async #writeSome(some: readonly Waiting[]): Promise<void> {
    const { db, now, logger } = this.#deps;
    let isDone = false;
    try {
      const kept = await addEvents(
        db,
        some.flatMap(({ rows }) => rows),
        now(),
      );
      isDone = true;
      for (const [project, count] of kept) this.#grown.set(project, (this.#grown.get(project) ?? 0) + count);
    } catch (error) {
      if (!isRefusedValue(error)) throw error;
      // One of these can never be stored. It must not block those of other agents.
      if (some.length > 1) return await this.#writeHalves(some);
      logger.warn({ err: error, client_id: some[0]?.clientId }, 'shield_events.refused');
      isDone = true;
    } finally {
      for (const one of some) this.#settle(one, isDone);
    }
    await this.#trim();
  }

  async #writeHalves(some: readonly Waiting[]): Promise<void> {
    const middle = some.length >> 1;
    await this.#writeSome(some.slice(0, middle));
    await this.#writeSome(some.slice(middle));
  }

  async #trim(): Promise<void> {
    const { db, trimEvery = TRIM_EVERY } = this.#deps;
    for (const [project, count] of this.#grown) {
      if (count < trimEvery) continue;
      this.#grown.delete(project);
      await trimProject(db, project);
    }
  }

  /** Only the first result counts. */
  #settle(one: Waiting, isStored: boolean): void {
    if (!this.#open.delete(one)) return;
    const { clientId, rows, resolve } = one;
    const left = (this.#waitingOf.get(clientId) ?? 0) - rows.length;
    if (left > 0) this.#waitingOf.set(clientId, left);
    else this.#waitingOf.delete(clientId);
    this.#waitingRows -= rows.length;
    resolve(isStored);
  }
}
