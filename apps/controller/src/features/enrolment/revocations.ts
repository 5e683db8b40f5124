import { type Database, OUTBOX_CHANNEL } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import { REVOKED_TOPIC } from './service.ts';
import { listRevoked } from './store.ts';

/** After a read that has failed. */
const RETRY_MS = 1000;

/**
 * The revoked serials that could still be presented, in memory. Read at start, at every revocation that any controller
 * makes (NOTIFY), and after a gap in the notifications; where that fails, again until it does not. The database stays the truth: it is asked when a call begins;
 * this set is there to cut calls that are open.
 */
export class RevocationList {
  readonly #serials = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #deps: { database: Database; logger: Logger; now: () => Date };
  #stop: (() => Promise<void>) | undefined;
  #reading: Promise<void> = Promise.resolve();
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(deps: { database: Database; logger: Logger; now: () => Date }) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#stop = await this.#deps.database.listen(OUTBOX_CHANNEL, {
      onNotify: (topic) => {
        if (topic === REVOKED_TOPIC) this.#refresh();
      },
      onGap: () => this.#refresh(),
    });
    await this.#read();
  }

  has(serial: string): boolean {
    return this.#serials.has(serial);
  }

  /** Called after the list has grown; returns a function that ends it. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stop?.();
    await this.#reading;
    clearTimeout(this.#retry);
  }

  #refresh(): void {
    this.#reading = this.#reading
      .then(() => this.#read())
      .catch((error: unknown) => {
        this.#deps.logger.warn({ err: error }, 'revocations.unreadable');
        clearTimeout(this.#retry);
        if (!this.#isClosed) this.#retry = setTimeout(() => this.#refresh(), RETRY_MS).unref();
      });
  }

  async #read(): Promise<void> {
    const serials = await listRevoked(this.#deps.database.db, this.#deps.now());
    this.#serials.clear();
    for (const serial of serials) this.#serials.add(serial);
    for (const listener of this.#listeners) listener();
  }
}
