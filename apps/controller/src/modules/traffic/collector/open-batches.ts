import type { LogAnswer } from '../../../platform/streams/index.ts';
import type { BatchPlace } from './messages.ts';

export interface QueueLimits {
  /** Requests in batches that the thread has not stored yet. */
  readonly queuedEntries: number;
  readonly queuedBytes: number;
}

interface Size {
  readonly entries: number;
  readonly bytes: number;
}

interface Open extends Size {
  readonly place: BatchPlace;
  readonly resolve: (answer: LogAnswer) => void;
}

/** Batches that are in the thread. Their requests and bytes have a limit together. */
export class OpenBatches {
  readonly #limits: QueueLimits;
  readonly #open = new Map<number, Open>();
  /** Called when nothing is open any more. */
  readonly #idle: Array<() => void> = [];
  #nextId = 0;
  #entries = 0;
  #bytes = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** Requests in all of them. */
  get entries(): number {
    return this.#entries;
  }

  get ids(): readonly number[] {
    return [...this.#open.keys()];
  }

  get places(): readonly BatchPlace[] {
    return Array.from(this.#open.values(), ({ place }) => place);
  }

  /** One batch always has room. */
  hasRoom({ entries, bytes }: Size): boolean {
    if (this.#open.size === 0) return true;
    const { queuedEntries, queuedBytes } = this.#limits;
    return this.#entries + entries <= queuedEntries && this.#bytes + bytes <= queuedBytes;
  }

  /** The answer is the one that the caller gives to what `take` returns. */
  add(place: BatchPlace, { entries, bytes }: Size): { readonly id: number; readonly answer: Promise<LogAnswer> } {
    const id = this.#nextId;
    this.#nextId += 1;
    const answer = new Promise<LogAnswer>((resolve) => this.#open.set(id, { place, entries, bytes, resolve }));
    this.#entries += entries;
    this.#bytes += bytes;
    return { id, answer };
  }

  /** Undefined: it is not open any more. */
  take(id: number): Pick<Open, 'place' | 'resolve'> | undefined {
    const open = this.#open.get(id);
    if (open === undefined) return undefined;
    this.#open.delete(id);
    this.#entries -= open.entries;
    this.#bytes -= open.bytes;
    if (this.#open.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    return open;
  }

  /** Resolves when nothing is open. */
  becomeIdle(): Promise<void> {
    return this.#open.size === 0 ? Promise.resolve() : new Promise((resolve) => this.#idle.push(resolve));
  }
}
