import { type Database, OUTBOX_CHANNEL } from '@flotilla/db';
import { Backoff, type Logger } from '@flotilla/kit';
import type { RevocationPort } from '../../../platform/streams/enrolment-port.ts';
import { REVOKED_TOPIC } from './service.ts';
import { listRevoked } from './store.ts';

/** Back-off after failed reads. */
const RETRY = { initialMs: 1000, maxMs: 30_000 };

/**
 * The revoked serials that are not yet expired, in memory. Read at start, on every revocation by any controller
 * (NOTIFY) and after a gap in the notifications, with retries. The database is authoritative and is checked when a call
 * starts; this list exists to end open calls.
 */
export class RevocationList implements RevocationPort {
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

  /** Called after the list has grown. Returns a function that ends the subscription. */
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

  /** A listener that throws does not affect the others and causes no retry. */
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
