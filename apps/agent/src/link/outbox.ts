import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';

type Body = NonNullable<MessageInitShape<typeof fleet.AgentMessageSchema>['body']>;

/** More keys than services, nodes and commands of any host: beyond it the oldest is dropped. */
const KEYS_MAX = 20_000;

/**
 * What waits to be told to the controller. Under one key only the newest is kept (a report replaces an older report of the
 * same node), so that a slow or absent controller costs no more memory than there are things to tell of.
 *
 * Shut: there is no stream; things are kept. Open: what is kept is sent in its order, as fast as the stream takes it.
 */
export class Outbox {
  readonly #waiting = new Map<string, Body>();
  #write: ((message: fleet.AgentMessage) => boolean) | undefined;
  #isFull = false;

  /** `write` says false when the stream is full; then `drained` must be called. */
  open(write: (message: fleet.AgentMessage) => boolean): void {
    this.#write = write;
    this.#isFull = false;
    this.#flush();
  }

  shut(): void {
    this.#write = undefined;
  }

  drained(): void {
    this.#isFull = false;
    this.#flush();
  }

  put(key: string, body: Body): void {
    // Put last again: what it says is as new as the newest.
    this.#waiting.delete(key);
    this.#waiting.set(key, body);
    const oldest = this.#waiting.keys().next().value;
    if (this.#waiting.size > KEYS_MAX && oldest !== undefined) this.#waiting.delete(oldest);
    this.#flush();
  }

  /** It need not be told any more. */
  drop(key: string): void {
    this.#waiting.delete(key);
  }

  get size(): number {
    return this.#waiting.size;
  }

  #flush(): void {
    while (this.#write && !this.#isFull) {
      const [next] = this.#waiting;
      if (!next) return;
      const [key, body] = next;
      this.#waiting.delete(key);
      this.#isFull = !this.#write(create(fleet.AgentMessageSchema, { body }));
    }
  }
}
