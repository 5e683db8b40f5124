import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';

type Body = NonNullable<MessageInitShape<typeof fleet.AgentMessageSchema>['body']>;

/** Larger than the number of services, nodes and commands of any host. Above it, the oldest entry is dropped. */
const KEYS_MAX = 20_000;

/**
 * Holds the messages for the controller until they are written to a stream. It keeps only the newest message of a key: a report
 * replaces an older report of the same node. A slow or absent controller therefore costs a bounded amount of memory.
 *
 * While there is no stream the outbox is shut and only keeps messages. When it is open, it sends them in order, as fast as
 * the stream accepts them.
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

  /** Removes a message that is no longer needed. */
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
