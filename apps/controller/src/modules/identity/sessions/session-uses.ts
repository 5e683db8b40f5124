import type { Db } from '@flotilla/db';
import type { Closable, Logger } from '@flotilla/kit';
import { storeUses } from './session-store.ts';

const FLUSH_MS = 60_000;
/** Further sessions are recorded at their next request after a flush. */
const PENDING_MAX = 10_000;

/** Records when and from where sessions were last used. Written once a minute, outside the path of requests. */
export class SessionUses {
  readonly #db: Db;
  #pending = new Map<string, { readonly ip: string; readonly atMs: number }>();

  constructor(db: Db) {
    this.#db = db;
  }

  note(sessionId: string, ip: string, atMs: number): void {
    if (this.#pending.size < PENDING_MAX || this.#pending.has(sessionId)) this.#pending.set(sessionId, { ip, atMs });
  }

  async flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = new Map();
    const uses = [...pending].map(([sessionId, { ip, atMs }]) => ({ sessionId, ip, at: new Date(atMs) }));
    if (uses.length > 0) await storeUses(this.#db, uses);
  }

  /** Runs until it is closed, which writes the rest. */
  start(logger: Logger): Closable {
    let running: Promise<void> = Promise.resolve();
    const flush = () => {
      running = running
        .then(() => this.flush())
        .catch((error: unknown) => logger.warn({ err: error }, 'sessions.uses_lost'));
      return running;
    };
    const timer = setInterval(() => void flush(), FLUSH_MS);
    timer.unref();
    return {
      close: () => {
        clearInterval(timer);
        return flush();
      },
    };
  }
}
