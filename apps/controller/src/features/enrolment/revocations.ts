import { type Database, OUTBOX_CHANNEL } from '@flotilla/db';
import type { Logger } from '@flotilla/kit';
import { REVOKED_TOPIC } from './service.ts';
import { listRevoked } from './store.ts';

/**
 * The revoked serials that could still be presented, in memory. Read at start, at every revocation that any controller
 * makes (NOTIFY), and after a gap in the notifications. The database stays the truth: it is asked when a call begins;
 * this set is there to cut calls that are open.
 */
export class RevocationList {
  readonly #serials = new Set<string>();
  readonly #listeners = new Set<() => void>();
  readonly #deps: { database: Database; logger: Logger; now: () => Date };
  #stop: (() => Promise<void>) | undefined;
  #reading: Promise<void> = Promise.resolve();

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
    await this.#stop?.();
    await this.#reading;
  }

  #refresh(): void {
    this.#reading = this.#reading
      .then(() => this.#read())
      .catch((error: unknown) => this.#deps.logger.warn({ err: error }, 'revocations.unreadable'));
  }

  async #read(): Promise<void> {
    const serials = await listRevoked(this.#deps.database.db, this.#deps.now());
    this.#serials.clear();
    for (const serial of serials) this.#serials.add(serial);
    for (const listener of this.#listeners) listener();
  }
}
