import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PolicyFile } from '@flotilla/policy';
import type { ReadFiles } from './read-files.ts';

/** How long the thread waits for the next bundle before it ends; restarting it costs more than waiting. */
const IDLE_MS = 2000;

/**
 * From this size on the thread is kept: a warm thread reads the next bundle three times as fast, and the memory is
 * small compared with policies of this size.
 */
const KEEP_FROM_BYTES = 256 * 1024;

/** The worker is next to this file, as source or as its own bundle. */
const ENTRY = new URL(
  import.meta.url.endsWith('.ts') ? './load-worker.ts' : './shield-load-worker.mjs',
  import.meta.url,
);

/** Messages to the thread that reads bundles. */
export type ToLoadWorker =
  | { readonly kind: 'load'; readonly files: readonly PolicyFile[]; readonly unless: readonly string[] }
  /** Requests the next pieces of the last bundle that this thread read. */
  | { readonly kind: 'next' };

export type FromLoadWorker =
  | { readonly kind: 'loaded'; readonly read: ReadFiles }
  /** Pieces of `packPolicies`; empty after the last one. */
  | { readonly kind: 'pieces'; readonly pieces: readonly Uint8Array[] };

/** The thread that reads bundles, started on demand. */
export class LoadThread {
  readonly #entry: URL;
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #isKept = false;
  #loadedBy: Worker | undefined;

  constructor(entry: URL = ENTRY) {
    this.#entry = entry;
  }

  /** Rejects if the thread failed; the next call uses another thread. One at a time. */
  async load(files: readonly PolicyFile[], unless: readonly string[]): Promise<ReadFiles> {
    this.#isKept = files.reduce((sum, file) => sum + file.content.length, 0) >= KEEP_FROM_BYTES;
    const answer = await this.#ask({ kind: 'load', files, unless });
    if (answer.kind !== 'loaded') throw new Error(`the thread answered ${answer.kind}`);
    this.#loadedBy = this.#worker;
    // A thread with remaining pieces waits until they are taken.
    if (!answer.read.result?.ok) this.rest();
    return answer.read;
  }

  /**
   * The pieces of the last bundle. Requests the next ones ahead. Fails if the thread is gone, because another one does
   * not have the pieces.
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
      // An abandoned iteration must not leave an answer for the next question.
      await next.catch(() => undefined);
      this.rest();
    }
  }

  /** The rest of the last bundle is not needed. */
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
      // `once` rejects if the thread's error comes first.
      const answer = once(worker, 'message', { signal: settled.signal });
      worker.postMessage(question);
      const [message] = await Promise.race([answer, exit]);
      return message as FromLoadWorker;
    } catch (error) {
      this.close();
      throw error;
    } finally {
      settled.abort();
      // A waiting thread must not keep the program running.
      worker.unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, { name: 'shield-load' });
    // It may fail while no question is pending.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }
}
