import type { Db } from '@flotilla/db';
import type { BatchSpan } from '@flotilla/event-store';
import type { OperationDelta } from '@flotilla/inventory';
import { Backoff, type Closable, type Logger } from '@flotilla/kit';

/** A batch with what it adds to the catalogue. */
export interface BatchDeltas {
  readonly projectId: string;
  readonly clientId: string;
  readonly serviceId: string;
  readonly epoch: string;
  readonly sequence: number;
  readonly deltas: readonly OperationDelta[];
  /** Where the event store has its events; undefined without a store. */
  readonly span?: BatchSpan | undefined;
  readonly now: Date;
}

export type ApplyBatches = (db: Db, inputs: readonly BatchDeltas[]) => Promise<readonly ('applied' | 'duplicate')[]>;

export interface ApplierDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly applyBatches: ApplyBatches;
  readonly intervalMs?: number;
}

interface Waiting {
  readonly input: BatchDeltas;
  readonly resolve: (outcome: 'applied' | 'duplicate') => void;
  failures: number;
}

const INTERVAL_MS = 500;
/** A transaction takes about as many deltas, or one batch. */
const GROUP_DELTAS = 5000;
const WAIT = { initialMs: 500, maxMs: 10_000 };

/**
 * Adds batches to the catalogue, several in one transaction. While the database does not answer, they wait: a batch that the event store has is never given
 * back, because its sender would get the later ones taken for duplicates. The caller limits how many wait.
 */
export class Applier implements Closable {
  readonly #deps: ApplierDeps;
  readonly #backoff = new Backoff(WAIT);
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(deps: ApplierDeps) {
    this.#deps = deps;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when the batch is in the catalogue; never, if the applier is closed before. */
  add(input: BatchDeltas): Promise<'applied' | 'duplicate'> {
    return new Promise((resolve) => {
      this.#waiting.push({ input, resolve, failures: 0 });
      this.#plan(this.#deps.intervalMs ?? INTERVAL_MS);
    });
  }

  /** Applies what waits, once. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    await this.#applyAll();
  }

  #plan(delayMs: number): void {
    if (this.#timer !== undefined || this.#running !== undefined || this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#applyAll().then((isDone) => {
        this.#running = undefined;
        if (this.#waiting.length > 0) this.#plan(isDone ? 0 : this.#backoff.next());
      });
    }, delayMs);
    this.#timer.unref();
  }

  /** False: the database refused something. */
  async #applyAll(): Promise<boolean> {
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      if (await this.#apply(group)) continue;
      if (group.length > 1 && (await this.#applyAlone(group))) continue;
      return false;
    }
    this.#backoff.reset();
    return true;
  }

  #takeGroup(): Waiting[] {
    let deltas = 0;
    const group: Waiting[] = [];
    for (const one of this.#waiting) {
      deltas += one.input.deltas.length;
      if (group.length > 0 && deltas > GROUP_DELTAS) break;
      group.push(one);
    }
    return group;
  }

  /** In one transaction. */
  async #apply(group: readonly Waiting[]): Promise<boolean> {
    const { db, logger, applyBatches } = this.#deps;
    try {
      const outcomes = await applyBatches(
        db,
        group.map(({ input }) => input),
      );
      this.#waiting = this.#waiting.filter((one) => !group.includes(one));
      for (const [index, { resolve }] of group.entries()) resolve(outcomes[index] ?? 'applied');
      return true;
    } catch (error) {
      for (const one of group) one.failures += 1;
      logger.warn({ err: error, batches: group.length }, 'collector.apply_failed');
      return false;
    }
  }

  /** One batch may be the reason why none was applied. The later ones of its sender stay behind it. */
  async #applyAlone(group: readonly Waiting[]): Promise<boolean> {
    const behind = new Set<string>();
    for (const one of group) {
      const sender = `${one.input.clientId}/${one.input.serviceId}`;
      if (behind.has(sender)) continue;
      if (!(await this.#apply([one]))) behind.add(sender);
    }
    return behind.size === 0;
  }
}
