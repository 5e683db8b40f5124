import type { Db } from '@flotilla/db';
import type { Clock, Closable, Logger } from '@flotilla/kit';
import { Gaps } from './gaps.ts';
import { type AuditEntry, recordAll } from './record.ts';

/** More wait only where the database cannot keep up, or is away. */
const WAITING_MAX = 10_000;
const FLUSH_AFTER_MS = 100;
const RETRY_AFTER_MS = 1000;
const CLOSE_WITHIN_MS = 5000;
const BATCH = 500;

/** Where refused requests are written down. Nobody waits for it, and it never fails. */
export interface DenialRecorder {
  record(entry: AuditEntry): void;
  /** Counts a refusal that gets no entry of its own. */
  omit(refusal: Refusal): void;
  /** Resolves when everything that was recorded before is in the database, or cannot be brought there now. */
  flush(): Promise<void>;
}

export interface Refusal {
  readonly at: Date;
  readonly projectId: string | undefined;
  readonly code: string;
}

export interface DenialBufferDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly waitingMax?: number;
}

/**
 * Denials on their way into the audit log: off the path of the request, so that a flood of them costs neither answers nor
 * memory. What finds no room, or is not let in, is counted, and the count becomes an entry of its own (`audit.gap`).
 */
export class DenialBuffer implements DenialRecorder, Closable {
  readonly #deps: DenialBufferDeps;
  readonly #waitingMax: number;
  readonly #gaps: Gaps;
  #waiting: AuditEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<boolean> | undefined;
  #isClosed = false;

  constructor(deps: DenialBufferDeps) {
    this.#deps = deps;
    this.#waitingMax = deps.waitingMax ?? WAITING_MAX;
    this.#gaps = new Gaps(deps.clock);
  }

  record(entry: AuditEntry): void {
    if (this.#waiting.length >= this.#waitingMax) {
      this.omit(toRefusal(entry));
      return;
    }
    this.#waiting.push(entry);
    this.#schedule(FLUSH_AFTER_MS);
  }

  omit(refusal: Refusal): void {
    this.#gaps.add(refusal);
    this.#schedule(FLUSH_AFTER_MS);
  }

  async flush(): Promise<void> {
    // The one that is under way may have begun before the last of them came; a further one has them all.
    await this.#flushing;
    if (this.#waiting.length > 0) await this.#flushOnce();
  }

  /** Writes what waits, gaps too, within five seconds; what then is still here is told to the log, with its number. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#gaps.endNow();
    let giveUp: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      giveUp = setTimeout(resolve, CLOSE_WITHIN_MS);
    });
    const written = (async () => {
      while ((this.#waiting.length > 0 || this.#gaps.isAny) && (await this.#flushOnce()));
    })();
    await Promise.race([written, deadline]);
    clearTimeout(giveUp);
    const lost = this.#waiting.length + this.#gaps.count;
    if (lost > 0) this.#deps.logger.error({ denials: lost }, 'audit.denials_lost');
  }

  #schedule(afterMs: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#flushOnce();
    }, afterMs).unref();
  }

  /** False: the database does not take it now. */
  #flushOnce(): Promise<boolean> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
      if (this.#waiting.length > 0 || this.#gaps.isAny) this.#schedule(RETRY_AFTER_MS);
    });
    return this.#flushing;
  }

  async #write(): Promise<boolean> {
    const { logger } = this.#deps;
    try {
      for (let left = this.#waiting.length; left > 0; left -= BATCH) {
        const batch = this.#waiting.slice(0, Math.min(left, BATCH));
        await this.#writeBatch(batch);
        this.#waiting.splice(0, batch.length);
      }
      await this.#writeGaps();
      return true;
    } catch (error) {
      logger.warn({ err: error, denials: this.#waiting.length }, 'audit.denials_wait');
      return false;
    }
  }

  async #writeGaps(): Promise<void> {
    const due = this.#gaps.takeDue();
    if (due.length === 0) return;
    try {
      await recordAll(
        this.#deps.db,
        due.map((gap) => this.#gaps.describe(gap)),
      );
    } catch (error) {
      this.#gaps.putBack(due);
      throw error;
    }
  }

  /** One that the database cannot hold must not keep the others out for ever. */
  async #writeBatch(batch: readonly AuditEntry[]): Promise<void> {
    const { db, logger } = this.#deps;
    try {
      await recordAll(db, batch);
    } catch (error) {
      if (!isOfData(error)) throw error;
      for (const entry of batch) {
        try {
          await recordAll(db, [entry]);
        } catch (cause) {
          if (!isOfData(cause)) throw cause;
          logger.error({ err: cause, action: entry.action }, 'audit.denial_lost');
          this.#gaps.add(toRefusal(entry));
        }
      }
    }
  }
}

function toRefusal({ at, subject, projectId, errorCode, action }: AuditEntry): Refusal {
  return { at, projectId: subject?.projectId ?? projectId, code: errorCode ?? action };
}

/**
 * SQLSTATE classes 22 (data exception), 23 (integrity) and 54 (program limit: a value that no index takes): it would be
 * refused again.
 */
function isOfData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:2[23]|54)/.test(String(error.code));
}
