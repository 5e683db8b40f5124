import type { Db } from '@flotilla/db';
import type { Clock, Closable, Logger } from '@flotilla/kit';
import { DroppedDenials } from './dropped-denials.ts';
import type { AuditEntry, DenialRecorder, Refusal } from './entry.ts';
import { recordAll } from './record-store.ts';

/** The buffer fills up only if the database is slow or unreachable. */
const WAITING_MAX = 10_000;
const FLUSH_AFTER_MS = 100;
const RETRY_AFTER_MS = 1000;
const CLOSE_WITHIN_MS = 5000;
const BATCH = 500;

export interface DenialBufferDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly waitingMax?: number;
}

/**
 * Buffers denials on their way into the audit log, so that a flood of them costs neither response time nor memory. A
 * denial that does not fit, or is rate-limited, is counted; the count becomes its own entry (`audit.gap`).
 */
export class DenialBuffer implements DenialRecorder, Closable {
  readonly #deps: DenialBufferDeps;
  readonly #waitingMax: number;
  readonly #dropped: DroppedDenials;
  #waiting: AuditEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<boolean> | undefined;
  #isClosed = false;

  constructor(deps: DenialBufferDeps) {
    this.#deps = deps;
    this.#waitingMax = deps.waitingMax ?? WAITING_MAX;
    this.#dropped = new DroppedDenials(deps.clock);
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
    this.#dropped.add(refusal);
    this.#schedule(FLUSH_AFTER_MS);
  }

  async flush(): Promise<void> {
    // The running flush may have started before the newest entry came; another flush covers all of them.
    await this.#flushing;
    if (this.#waiting.length > 0) await this.#flushOnce();
  }

  /** Writes the waiting entries and gaps within five seconds. Logs the number of those that it could not write. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#dropped.endNow();
    let giveUp: NodeJS.Timeout | undefined;
    const deadline = new Promise<void>((resolve) => {
      giveUp = setTimeout(resolve, CLOSE_WITHIN_MS);
    });
    const written = (async () => {
      while ((this.#waiting.length > 0 || this.#dropped.isAny) && (await this.#flushOnce()));
    })();
    await Promise.race([written, deadline]);
    clearTimeout(giveUp);
    const lost = this.#waiting.length + this.#dropped.count;
    if (lost > 0) this.#deps.logger.error({ denials: lost }, 'audit.denials_lost');
  }

  #schedule(afterMs: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#flushOnce();
    }, afterMs).unref();
  }

  /** Resolves to false if the database does not accept entries at the moment. */
  #flushOnce(): Promise<boolean> {
    this.#flushing ??= this.#write().finally(() => {
      this.#flushing = undefined;
      if (this.#waiting.length > 0 || this.#dropped.isAny) this.#schedule(RETRY_AFTER_MS);
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
    const due = this.#dropped.takeDue();
    if (due.length === 0) return;
    try {
      await recordAll(
        this.#deps.db,
        due.map((gap) => this.#dropped.describe(gap)),
      );
    } catch (error) {
      this.#dropped.putBack(due);
      throw error;
    }
  }

  /** An entry that the database cannot store must not block the others for ever. */
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
          this.#dropped.add(toRefusal(entry));
        }
      }
    }
  }
}

function toRefusal({ at, subject, projectId, errorCode, action }: AuditEntry): Refusal {
  return { at, projectId: subject?.projectId ?? projectId, code: errorCode ?? action };
}

/**
 * SQLSTATE classes 22 (data exception), 23 (integrity) and 54 (program limit: a value too large for an index). A retry
 * would fail again.
 */
function isOfData(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(?:2[23]|54)/.test(String(error.code));
}
