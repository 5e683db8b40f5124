import { deriveTypeRank } from './resource-type.ts';

/** What became of an attempt to send: there was nothing, the transport took it, or took it and takes no more for now. */
export type Sending = 'nothing' | 'taken' | 'full';

/**
 * What a stream has to look at again, and whether it may send.
 *
 * Open: what was marked is sent in the order of types, one response after the other, until nothing is left. Full: the
 * transport took no more; marks are only kept. Closed: nothing is sent any more.
 */
export class StreamOutput {
  /** Sends one response of a type, if there is something to send. */
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

  /** There may be something of this type to send. It goes out with the next `flush`. */
  mark(typeUrl: string): void {
    this.#marked.add(typeUrl);
  }

  /** Different for every response of the stream. */
  takeNonce(): string {
    this.#nonce += 1;
    return this.#nonce.toString(36);
  }

  /** Nothing goes out before `work` is done, whatever is marked by it; then all of it does. */
  holdDuring(work: () => void): void {
    this.#isFlushing = true;
    work();
    this.#isFlushing = false;
    this.flush();
  }

  /** Sending may mark more, so this runs until nothing is left to do, and never inside itself. */
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

  /** The transport takes responses again. */
  resume(): void {
    this.#isFull = false;
    this.flush();
  }

  close(): void {
    this.#isClosed = true;
  }
}
