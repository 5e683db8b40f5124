import { BatchWriter, compressBatch, type LogEntry } from '@flotilla/access-log';
import { type Logger, SerialQueue } from '@flotilla/kit';
import type { Spool } from './spool/spool.ts';

export interface BatcherOptions {
  readonly spool: Pick<Spool, 'append' | 'skip'>;
  /** A batch is in the spool. */
  readonly onBatch: () => void;
  readonly logger: Logger;
  /** A batch ends so long after its first entry. */
  readonly delayMs?: number;
}

const DELAY_MS = 500;
/** Batches that wait for the disk; it is broken if there are more. */
const WAITING_MAX_BYTES = 16 * 1024 * 1024;
/** Names of logs come from Envoy's configuration. */
const LISTENERS_MAX = 1000;

interface Open {
  readonly writer: BatchWriter;
  readonly timer: NodeJS.Timeout;
}

/** Collects the entries of a service, by listener, and writes them to the spool. Takes an entry at once, whatever the disk does. */
export class Batcher {
  readonly #options: BatcherOptions;
  readonly #open = new Map<string, Open>();
  readonly #queue = new SerialQueue();
  #waitingBytes = 0;

  constructor(options: BatcherOptions) {
    this.#options = options;
  }

  add(listener: string, entry: LogEntry): void {
    if (this.#find(listener).writer.add(entry)) return;
    this.#end(listener);
    this.#find(listener).writer.add(entry);
  }

  /** Resolves when all entries so far are in the spool. */
  async flush(): Promise<void> {
    for (const listener of this.#open.keys()) this.#end(listener);
    await this.#queue.settle();
  }

  #find(listener: string): Open {
    const known = this.#open.get(listener);
    if (known) return known;
    const oldest = this.#open.size >= LISTENERS_MAX ? this.#open.keys().next().value : undefined;
    if (oldest !== undefined) this.#end(oldest);
    const { delayMs = DELAY_MS } = this.#options;
    const timer = setTimeout(() => this.#end(listener), delayMs);
    timer.unref();
    const opened = { writer: new BatchWriter(listener), timer };
    this.#open.set(listener, opened);
    return opened;
  }

  #end(listener: string): void {
    const ended = this.#open.get(listener);
    if (!ended) return;
    this.#open.delete(listener);
    clearTimeout(ended.timer);
    const { writer } = ended;
    if (writer.entries === 0) return;
    const { spool, logger, onBatch } = this.#options;
    const bytes = writer.byteLength;
    if (this.#waitingBytes + bytes > WAITING_MAX_BYTES) {
      spool.skip();
      return;
    }
    this.#waitingBytes += bytes;
    const storing = this.#queue.run(async () => {
      await spool.append(writer.entries, await compressBatch(writer.finish()));
      onBatch();
    });
    storing
      .catch((error: unknown) => logger.warn({ err: error }, 'access_log.batch_failed'))
      .finally(() => {
        this.#waitingBytes -= bytes;
      });
  }
}
