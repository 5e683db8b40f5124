import { isRefusedValue } from '@flotilla/db';
import type { Closable } from '@flotilla/kit';
import { FlushLoop } from './flush-loop.ts';

const FLUSH_INTERVAL_MS = 1_000;

/** Sizes of waiting reports, in a unit of the caller. */
interface Room {
  /** The limit for one client. */
  readonly perClient: number;
  /** The limit for one client once all together reach `crowded`. */
  readonly perClientCrowded: number;
  readonly crowded: number;
}

export interface ReportQueueOptions<Report> {
  readonly room: Room;
  readonly sizeOf: (report: Report) => number;
  readonly rowsOf: (report: Report) => number;
  readonly rowsPerWrite: number;
  readonly write: (reports: readonly Report[]) => Promise<void>;
  /** Runs after the senders have their answer. */
  readonly afterWrite?: () => Promise<void>;
  readonly onFailure: (error: unknown) => void;
  /** The database can never store the report, which is dropped. */
  readonly onRefused: (clientId: string, error: unknown) => void;
  readonly flushIntervalMs?: number | undefined;
}

interface Waiting<Report> {
  readonly clientId: string;
  readonly report: Report;
  readonly size: number;
  readonly resolve: (isDone: boolean) => void;
}

/**
 * Collects reports of all agents and writes them every second, so that the number of statements does not depend on the
 * number of clients. Nothing is lost: an agent keeps everything that was not acknowledged.
 */
export class ReportQueue<Report> implements Closable {
  readonly #options: ReportQueueOptions<Report>;
  readonly #loop: FlushLoop;
  #waiting: Waiting<Report>[] = [];
  /** Not answered yet, including those being written. */
  readonly #open = new Set<Waiting<Report>>();
  #size = 0;
  readonly #sizeOf = new Map<string, number>();

  constructor(options: ReportQueueOptions<Report>) {
    this.#options = options;
    this.#loop = new FlushLoop({
      intervalMs: options.flushIntervalMs ?? FLUSH_INTERVAL_MS,
      write: () => this.#write(),
      onFailure: options.onFailure,
    });
  }

  /**
   * Resolves to true if the client may forget the report, and to false if it must send it again. undefined: the client
   * has no room.
   */
  add(clientId: string, report: Report): Promise<boolean> | undefined {
    const { room, sizeOf } = this.#options;
    const size = sizeOf(report);
    const sizeOfClient = (this.#sizeOf.get(clientId) ?? 0) + size;
    if (sizeOfClient > (this.#size < room.crowded ? room.perClient : room.perClientCrowded)) return undefined;
    this.#sizeOf.set(clientId, sizeOfClient);
    this.#size += size;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const one = { clientId, report, size, resolve };
    this.#waiting.push(one);
    this.#open.add(one);
    return promise;
  }

  /** Writes the waiting reports. Flushes run one after the other. */
  flush(): Promise<void> {
    return this.#loop.flush();
  }

  close(): Promise<void> {
    return this.#loop.close();
  }

  async #write(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      for (const some of this.#inParts(waiting)) await this.#writeOrSplit(some);
    } finally {
      // After a failure the agents send again what was not written.
      for (const one of waiting) this.#settle(one, false);
    }
  }

  *#inParts(waiting: readonly Waiting<Report>[]): Iterable<Waiting<Report>[]> {
    const { rowsOf, rowsPerWrite } = this.#options;
    let some: Waiting<Report>[] = [];
    let rows = 0;
    for (const one of waiting) {
      some.push(one);
      rows += rowsOf(one.report);
      if (rows < rowsPerWrite) continue;
      yield some;
      some = [];
      rows = 0;
    }
    if (some.length > 0) yield some;
  }

  /** A report that can never be stored must not hold back those of other agents. */
  async #writeOrSplit(some: readonly Waiting<Report>[]): Promise<void> {
    const { write, afterWrite, onRefused } = this.#options;
    try {
      await write(some.map(({ report }) => report));
    } catch (error) {
      const [one] = some;
      if (!one || !isRefusedValue(error)) throw error;
      if (some.length > 1) {
        const middle = some.length >> 1;
        await this.#writeOrSplit(some.slice(0, middle));
        return await this.#writeOrSplit(some.slice(middle));
      }
      onRefused(one.clientId, error);
    }
    for (const one of some) this.#settle(one, true);
    await afterWrite?.();
  }

  /** Only the first result counts. */
  #settle(one: Waiting<Report>, isDone: boolean): void {
    if (!this.#open.delete(one)) return;
    const { clientId, size, resolve } = one;
    const left = (this.#sizeOf.get(clientId) ?? 0) - size;
    if (left > 0) this.#sizeOf.set(clientId, left);
    else this.#sizeOf.delete(clientId);
    this.#size -= size;
    resolve(isDone);
  }
}
