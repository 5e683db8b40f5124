import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';

type Body = NonNullable<MessageInitShape<typeof fleet.AgentMessageSchema>['body']>;

/** Larger than the number of services, nodes and commands of any host. Above it, the oldest entry is dropped. */
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

  /** `write` returns false when the stream is full. The caller must then call `drained`. */
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
    // The entry moves to the end, because its content is now the newest.
    this.#waiting.delete(key);
    this.#waiting.set(key, body);
    const oldest = this.#waiting.keys().next().value;
    if (this.#waiting.size > KEYS_MAX && oldest !== undefined) this.#waiting.delete(oldest);
    this.#flush();
  }

  /** Removes an entry that need not be sent any more. */
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
