import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PolicyFile } from '@flotilla/policy';
import type { ReadFiles } from './load-bundle.ts';

/** How long the thread waits for the next bundle before it ends; starting it costs more than waiting. */
const IDLE_MS = 2000;

/**
 * From this size on it does not end: a thread that has read a bundle before reads the next one three times as fast, and
 * whoever has policies of this size can spare what it takes.
 */
const KEEP_FROM_BYTES = 256 * 1024;

/** The worker lies beside this file, as source or as a bundle of its own. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './load-worker.ts' : './shield-load-worker.mjs',
  import.meta.url,
);

/** What is asked of the thread that reads bundles. */
export type ToLoadWorker =
  | { readonly kind: 'load'; readonly files: readonly PolicyFile[]; readonly unless: readonly string[] }
  /** The next pieces of the bundle that was read last, by this thread. */
  | { readonly kind: 'next' };

export type FromLoadWorker =
  | { readonly kind: 'loaded'; readonly read: ReadFiles }
  /** Of `packPolicies`; none behind the last. */
  | { readonly kind: 'pieces'; readonly pieces: readonly Uint8Array[] };

/** The thread that reads bundles, started when there is one to read. */
export class LoadThread {
  readonly #entry: URL;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isKept = false;
  #loadedBy: Worker | undefined;

  constructor(entry: URL = ENTRY) {
    this.#entry = entry;
  }

  /** Rejects where the thread failed; the next one is another thread. One at a time. */
  async load(files: readonly PolicyFile[], unless: readonly string[]): Promise<ReadFiles> {
    this.#isKept = files.reduce((sum, file) => sum + file.content.length, 0) >= KEEP_FROM_BYTES;
    const answer = await this.#ask({ kind: 'load', files, unless });
    if (answer.kind !== 'loaded') throw new Error(`the thread answered ${answer.kind}`);
    this.#loadedBy = this.#worker;
    // A thread that has pieces to give waits until they are taken.
    if (!answer.read.result?.ok) this.rest();
    return answer.read;
  }

  /**
   * The pieces of the bundle that was loaded last. The next ones are under way while some are looked at. Fails where the
   * thread that loaded it is gone: another one would have none to give.
   */
  async *pieces(): AsyncGenerator<Uint8Array, void> {
    let next = this.#askNext();
    try {
      for (;;) {
        const pieces = await next;
        if (pieces.length === 0) return;
        next = this.#askNext();
        // It may fail while nobody waits for it.
        next.catch(() => undefined);
        yield* pieces;
      }
    } finally {
      // Whoever gives up in between must not leave an answer to the next question.
      await next.catch(() => undefined);
      this.rest();
    }
  }

  /** Nothing is wanted of the bundle that was loaded last, or nothing more. */
  rest(): void {
    clearTimeout(this.#idle);
    if (this.#isKept || this.#worker === undefined) return;
    this.#idle = setTimeout(() => this.close(), IDLE_MS);
    this.#idle.unref();
  }

  close(): void {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.terminate().catch(() => undefined);
  }

  async #askNext(): Promise<readonly Uint8Array[]> {
    if (this.#worker === undefined || this.#worker !== this.#loadedBy) {
      throw new Error('the thread ended before its bundle was taken');
    }
    const answer = await this.#ask({ kind: 'next' });
    if (answer.kind !== 'pieces') throw new Error(`the thread answered ${answer.kind}`);
    return answer.pieces;
  }

  async #ask(question: ToLoadWorker): Promise<FromLoadWorker> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    worker.ref();
    const settled = new AbortController();
    try {
      const exit = once(worker, 'exit', { signal: settled.signal }).then(() => {
        throw new Error('the thread ended without an answer');
      });
      // `once` rejects with the thread's error, if that comes first.
      const answer = once(worker, 'message', { signal: settled.signal });
      worker.postMessage(question);
      const [message] = await Promise.race([answer, exit]);
      return message as FromLoadWorker;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      settled.abort();
      // A thread that waits for work keeps no program running.
      worker.unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { name: 'shield-load' });
    // Nobody may be asking when it fails.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }
}
