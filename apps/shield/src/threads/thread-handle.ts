import { Worker } from 'node:worker_threads';
import type { FromThread, ThreadData, ToThread } from './messages.ts';

/** The entry is next to this file, as source or as its own bundle. */
const ENTRY = new URL(import.meta.url.endsWith('.ts') ? './thread-main.ts' : './shield-thread.mjs', import.meta.url);

/** Three parts of 2 MB: objects of a request die at once, and more space only costs memory. */
const YOUNG_MAX_MB = 6;

/** Unsolicited messages from a thread. */
export type ThreadNews = Exclude<FromThread, { readonly kind: 'done' | 'refused' }>;

export interface ThreadListener {
  onNews(thread: number, news: ThreadNews): void;
  /** The thread ended unexpectedly. Nothing is answered any more. */
  onDeath(thread: number, error: Error): void;
}

interface Question {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A thread as the first one sees it. */
export class ThreadHandle {
  readonly thread: number;
  readonly #worker: Worker;
  readonly #listener: ThreadListener;
  #question: Question | undefined;
  #isOver = false;

  constructor(data: ThreadData, listener: ThreadListener) {
    this.thread = data.thread;
    this.#listener = listener;
    this.#worker = new Worker(ENTRY, {
      workerData: data,
      name: `shield-${data.thread}`,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MAX_MB },
    });
    this.#worker.on('message', (message: FromThread) => this.#onMessage(message));
    this.#worker.on('error', (error: unknown) =>
      this.#onEnd(error instanceof Error ? error : new Error(String(error))),
    );
    this.#worker.on('exit', (code) => this.#onEnd(new Error(`the thread ended with code ${code}`)));
  }

  /** Resolves once the thread has done it; rejects with its reason, or when it dies. One at a time. */
  ask(message: ToThread): Promise<void> {
    if (this.#isOver) return Promise.reject(new Error(`thread ${this.thread} is gone`));
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#question = { resolve, reject };
    this.#worker.postMessage(message);
    return promise;
  }

  /** Drains the thread, then ends it. */
  async close(graceMs: number): Promise<void> {
    if (this.#isOver) return;
    const closed = this.ask({ kind: 'close', graceMs });
    this.#isOver = true;
    await closed.catch(() => undefined);
    await this.#worker.terminate();
  }

  #onMessage(message: FromThread): void {
    if (message.kind === 'done') this.#question?.resolve();
    else if (message.kind === 'refused') this.#question?.reject(new Error(message.message));
    else this.#listener.onNews(this.thread, message);
  }

  #onEnd(error: Error): void {
    this.#question?.reject(error);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#listener.onDeath(this.thread, error);
  }
}
