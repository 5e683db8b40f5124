import { SerialQueue } from '@flotilla/kit';
import { EVENT_STORE_ERRORS } from '../errors.ts';
import type { AppendOutcome } from '../port.ts';
import type { Append, Database } from './database.ts';

interface Waiting {
  readonly append: Append;
  readonly resolve: (outcome: AppendOutcome) => void;
  readonly reject: (cause: unknown) => void;
}

/** A transaction takes this many rows, or one batch. */
const GROUP_ROWS = 100_000;
const WAITING_ROWS_MAX = 400_000;

/**
 * Writes one after the other. Batches that arrive while another is written share the next transaction, and so its wait for the disk.
 */
export class WriteQueue {
  readonly #database: Database;
  readonly #queue = new SerialQueue();
  #waiting: Waiting[] = [];
  #waitingRows = 0;

  constructor(database: Database) {
    this.#database = database;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(work);
  }

  append(append: Append, nowMs: number): Promise<AppendOutcome> {
    const { rows } = append.batch;
    if (this.#waitingRows + rows > WAITING_ROWS_MAX) return Promise.reject(EVENT_STORE_ERRORS.busy());
    return new Promise((resolve, reject) => {
      this.#waitingRows += rows;
      this.#waiting.push({ append, resolve, reject });
      // The callers have the outcome; the queue reports it to nobody else.
      void this.#queue.run(() => this.#writeGroup(nowMs));
    });
  }

  async #writeGroup(nowMs: number): Promise<void> {
    const group = this.#takeGroup();
    if (group.length === 0) return;
    try {
      const appends = group.map(({ append }) => append);
      const outcomes = await this.#database.write(nowMs, () => this.#database.append(appends, nowMs));
      for (const [index, { resolve }] of group.entries()) resolve(outcomes[index] ?? 'stored');
    } catch (cause) {
      for (const { reject } of group) reject(cause);
      return;
    }
    await this.#settle(nowMs);
  }

  /** The batches are on disk, so a failure here concerns no caller: the next group tries again. */
  async #settle(nowMs: number): Promise<void> {
    if (!this.#database.mustSettle) return;
    await this.#database.write(nowMs, () => this.#database.settle(nowMs)).catch(() => undefined);
  }

  #takeGroup(): Waiting[] {
    let rows = 0;
    const group: Waiting[] = [];
    for (const one of this.#waiting) {
      rows += one.append.batch.rows;
      if (group.length > 0 && rows > GROUP_ROWS) break;
      group.push(one);
    }
    this.#waiting = this.#waiting.slice(group.length);
    for (const { append } of group) this.#waitingRows -= append.batch.rows;
    return group;
  }
}
