import { type Database, OUTBOX_CHANNEL } from '@flotilla/db';
import { Backoff, type Logger } from '@flotilla/kit';
import { REVOKED_TOPIC } from './service.ts';
import { listRevoked } from './store.ts';

/** After reads that have failed, one after another. */
const RETRY = { initialMs: 1000, maxMs: 30_000 };

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
  readonly #backoff = new Backoff(RETRY);
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
    this.#tell();
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
    this.#reading = this.#reading.then(async () => {
      const isRead = await this.#read().then(
        () => true,
        (error: unknown) => this.#readLater(error),
      );
      if (isRead) this.#tell();
    });
  }

  #readLater(error: unknown): false {
    const waitMs = Math.round(this.#backoff.next());
    this.#deps.logger.warn({ err: error, retry_ms: waitMs }, 'revocations.unreadable');
    clearTimeout(this.#retry);
    if (!this.#isClosed) this.#retry = setTimeout(() => this.#refresh(), waitMs).unref();
    return false;
  }

  async #read(): Promise<void> {
    const serials = await listRevoked(this.#deps.database.db, this.#deps.now());
    this.#backoff.reset();
    this.#serials.clear();
    for (const serial of serials) this.#serials.add(serial);
  }

  /** One listener that throws keeps no other from hearing, and is no reason to read again. */
  #tell(): void {
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        this.#deps.logger.error({ err: error }, 'revocations.listener_failed');
      }
    }
  }
}
