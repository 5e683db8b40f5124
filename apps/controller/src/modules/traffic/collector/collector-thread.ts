import { MessageChannel, Worker } from 'node:worker_threads';
import { connectStore, type EventStore } from '@flotilla/event-store';
import { Backoff, type Logger } from '@flotilla/kit';
import type { EventStoreChoice } from '../../../platform/event-store-choice.ts';
import type { EventStoreAccess } from './event-store-access.ts';
import type { FromThread, ThreadData, ToThread } from './messages.ts';

/** The worker is next to this file, as source or as its own bundle. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './controller-collector-worker.mjs',
  import.meta.url,
);
const RESTART = { initialMs: 500, maxMs: 60_000 };
const CLOSE_DEADLINE_MS = 30_000;
/** V8's limit; buffers and DuckDB's memory are outside of it. */
const HEAP_MB = 512;
/** Batches live for some milliseconds: with the default size, most of them would be copied before they are dropped. */
const YOUNG_MB = 72;

export interface CollectorThreadDeps {
  readonly store: EventStoreChoice;
  readonly logger: Logger;
  /** Only tests set it. */
  readonly worker?: URL | undefined;
  readonly onMessage: (message: FromThread) => void;
  /** The thread has started and knows nothing yet. */
  readonly onReady: () => void;
  /** Nothing that was sent before will be answered. */
  readonly onEnd: () => void;
}

const OFF = 'The event store is switched off (SVC_EVENT_STORE=off). The catalogue of operations works without it.';
const STARTING = 'The event store is being opened.';

/**
 * Runs the collector's thread while it is wanted.
 *
 * *stopped*: no thread; `start` begins one. *starting*: the thread opens its store. *ready*: it takes messages. *waiting*: it ended or could not open the
 * store, and is started again after a growing delay. `stop` leads to *stopped* from every state.
 */
export class CollectorThread implements EventStoreAccess {
  readonly #deps: CollectorThreadDeps;
  readonly #backoff = new Backoff(RESTART);
  #worker: Worker | undefined;
  #store: EventStore | undefined;
  #isWanted = false;
  #isReady = false;
  #reason: string;
  #restart: NodeJS.Timeout | undefined;
  #onClosed: (() => void) | undefined;

  constructor(deps: CollectorThreadDeps) {
    this.#deps = deps;
    this.#reason = deps.store.kind === 'off' ? OFF : STARTING;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  get store(): EventStore | undefined {
    return this.#isReady ? this.#store : undefined;
  }

  get reason(): string | undefined {
    return this.store === undefined ? this.#reason : undefined;
  }

  start(): void {
    if (this.#isWanted) return;
    this.#isWanted = true;
    if (this.#deps.store.kind !== 'off') this.#reason = STARTING;
    this.#spawn();
  }

  post(message: ToThread, transfer: readonly ArrayBuffer[] = []): void {
    this.#worker?.postMessage(message, [...transfer]);
  }

  /** Stores what it has, closes the store and ends. `reason` is what routes answer from then on. */
  async stop(reason: string): Promise<void> {
    this.#isWanted = false;
    clearTimeout(this.#restart);
    if (this.#deps.store.kind !== 'off') this.#reason = reason;
    const worker = this.#worker;
    if (worker === undefined) return;
    // A thread that still opens the store closes it first, so that the next owner finds the file free.
    const closed = new Promise<void>((resolve) => {
      this.#onClosed = resolve;
    });
    this.post({ kind: 'close' });
    await Promise.race([closed, sleep(CLOSE_DEADLINE_MS)]);
    await worker.terminate();
  }

  #spawn(): void {
    const { store, logger, worker: entry = WORKER } = this.#deps;
    const { port1, port2 } = new MessageChannel();
    const worker = new Worker(entry, {
      workerData: { store, port: port2 } satisfies ThreadData,
      transferList: [port2],
      name: 'collector',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, maxYoungGenerationSizeMb: YOUNG_MB },
    });
    this.#worker = worker;
    this.#store = store.kind === 'off' ? undefined : connectStore(port1);
    worker.on('message', (message: FromThread) => this.#receive(message));
    worker.on('error', (error) => logger.error({ err: error }, 'collector.thread_failed'));
    worker.on('exit', () => {
      port1.close();
      this.#end(worker);
    });
  }

  #receive(message: FromThread): void {
    const { logger, onReady, onMessage } = this.#deps;
    switch (message.kind) {
      case 'ready':
        if (!this.#isWanted) return;
        this.#isReady = true;
        this.#backoff.reset();
        logger.info({ store: this.#deps.store.kind }, 'collector.ready');
        onReady();
        return;
      case 'unusable':
        this.#reason = `The event store cannot be opened: ${message.reason}`;
        logger.error({ reason: message.reason }, 'collector.store_unusable');
        void this.#worker?.terminate();
        return;
      case 'closed':
        this.#onClosed?.();
        return;
      default:
        onMessage(message);
    }
  }

  #end(worker: Worker): void {
    if (this.#worker !== worker) return;
    const wasReady = this.#isReady;
    this.#worker = undefined;
    this.#store = undefined;
    this.#isReady = false;
    this.#onClosed?.();
    this.#onClosed = undefined;
    this.#deps.onEnd();
    if (!this.#isWanted) return;
    if (wasReady && this.#deps.store.kind !== 'off')
      this.#reason = 'The event store is being opened again after a failure.';
    const delayMs = this.#backoff.next();
    this.#deps.logger.warn({ delay_ms: Math.round(delayMs) }, 'collector.thread_restarts');
    this.#restart = setTimeout(() => this.#spawn(), delayMs);
    this.#restart.unref();
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
