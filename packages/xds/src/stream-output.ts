import { deriveTypeRank } from './resource-type.ts';

/** Result of an attempt to send: nothing to send, accepted by the transport, or accepted as the last one for now. */
export type Sending = 'nothing' | 'taken' | 'full';

/**
 * Tracks which types of a stream must be checked, and whether it may send.
 *
 * Open: marked types are sent in type order, one response after the other, until nothing is left. Full: the transport
 * accepts no more; marks are only kept. Closed: nothing is sent any more.
 */
export class StreamOutput {
  /** Sends one response of a type if there is something to send. */
  readonly #sendOne: (typeUrl: string) => Sending;
  readonly #marked = new Set<string>();
  #nonce = 0;
  #isFull = false;
  #isFlushing = false;
  #isClosed = false;

  constructor(sendOne: (typeUrl: string) => Sending) {
    this.#sendOne = sendOne;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** There may be something of this type to send; the next `flush` sends it. */
  mark(typeUrl: string): void {
    this.#marked.add(typeUrl);
  }

  /** Unique within the stream. */
  takeNonce(): string {
    this.#nonce += 1;
    return this.#nonce.toString(36);
  }

  /** Delays all sending until `work` is done, including what it marks. */
  holdDuring(work: () => void): void {
    this.#isFlushing = true;
    work();
    this.#isFlushing = false;
    this.flush();
  }

  /** Sending may mark more types, so this loops until nothing is left, and never runs recursively. */
  flush(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    try {
      while (!this.#isFull && !this.#isClosed) {
        const typeUrl = [...this.#marked].sort((a, b) => deriveTypeRank(a) - deriveTypeRank(b))[0];
        if (typeUrl === undefined) return;
        const sending = this.#sendOne(typeUrl);
        if (sending === 'nothing') this.#marked.delete(typeUrl);
        this.#isFull = sending === 'full';
      }
    } finally {
      this.#isFlushing = false;
    }
  }

  /** The transport accepts responses again. */
  resume(): void {
    this.#isFull = false;
    this.flush();
  }

  close(): void {
    this.#isClosed = true;
  }
}
