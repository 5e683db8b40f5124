import type { Db } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { ReportQueue } from '../../../platform/database/report-queue.ts';
import { addEvents } from './event-store.ts';
import { type EventRow, toEventRows } from './model.ts';
import { trimProject } from './prune-store.ts';

const ROWS_PER_WRITE = 2_000;
/** Waiting rows. */
const ROOM = { perClient: 1_000, perClientCrowded: 100, crowded: 20_000 };
/** Our agents limit their filters to less. */
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

/** Stores the findings of all agents. An agent above its share gets no acknowledgement until it sends less. */
export class ShieldEventRecorder implements Closable {
  readonly #deps: ShieldEventRecorderDeps;
  readonly #queue: ReportQueue<readonly EventRow[]>;
  #minute = 0;
  /** Rows accepted in this minute, by client. */
  readonly #takenOf = new Map<string, number>();
  /** Rows since the last trim, by project. */
  readonly #grown = new Map<string, number>();

  constructor(deps: ShieldEventRecorderDeps) {
    this.#deps = deps;
    this.#queue = new ReportQueue({
      room: ROOM,
      sizeOf: (rows) => rows.length,
      rowsOf: (rows) => rows.length,
      rowsPerWrite: ROWS_PER_WRITE,
      write: (reports) => this.#write(reports.flat()),
      afterWrite: () => this.#trim(),
      onFailure: (error) => deps.logger.warn({ err: error }, 'shield_events.flush_failed'),
      onRefused: (clientId, error) => deps.logger.warn({ err: error, client_id: clientId }, 'shield_events.refused'),
      flushIntervalMs: deps.flushIntervalMs,
    });
  }

  /** Resolves to true if the agent may forget the events, and to false if it must send them again. */
  async note(clientId: string, report: fleet.ShieldEvents): Promise<boolean> {
    const now = this.#deps.now();
    const rows = toEventRows(clientId, report, now);
    if (rows.length === 0) return true;
    const minute = Math.floor(now.getTime() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#takenOf.clear();
    }
    const taken = (this.#takenOf.get(clientId) ?? 0) + rows.length;
    if (taken > ROWS_PER_CLIENT_AND_MINUTE) return false;
    const stored = this.#queue.add(clientId, rows);
    if (!stored) return false;
    this.#takenOf.set(clientId, taken);
    return stored;
  }

  flush(): Promise<void> {
    return this.#queue.flush();
  }

  close(): Promise<void> {
    return this.#queue.close();
  }

  async #write(rows: readonly EventRow[]): Promise<void> {
    const kept = await addEvents(this.#deps.db, rows, this.#deps.now());
    for (const [project, count] of kept) this.#grown.set(project, (this.#grown.get(project) ?? 0) + count);
  }

  async #trim(): Promise<void> {
    const { db, trimEvery = TRIM_EVERY } = this.#deps;
    for (const [project, count] of this.#grown) {
      if (count < trimEvery) continue;
      this.#grown.delete(project);
      await trimProject(db, project);
    }
  }
}
