import { Worker } from 'node:worker_threads';
import type { NamedOperation, Renaming } from '@flotilla/inventory';
import type { FromNamer, NamerData, ToNamer } from './messages.ts';

/** The worker is next to this file, as source or as its own bundle. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './namer-worker.ts' : './controller-namer-worker.mjs',
  import.meta.url,
);
const HEAP_MB = 512;

interface Waiting {
  readonly resolve: (renamings: readonly Renaming[]) => void;
  readonly reject: (error: unknown) => void;
}

/** Names operations in a thread of its own. */
export class Namer {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #nextId = 0;
  #failure: unknown;

  constructor(naming: NamerData) {
    this.#worker = new Worker(WORKER, {
      workerData: naming,
      name: 'namer',
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    this.#worker.on('message', ({ id, renamings }: FromNamer) => {
      this.#waiting.get(id)?.resolve(renamings);
      this.#waiting.delete(id);
    });
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('The thread that names operations has ended.')));
  }

  /** In the order of the operations. Rejects if the thread ends. */
  rename(operations: readonly NamedOperation[]): Promise<readonly Renaming[]> {
    return new Promise((resolve, reject) => {
      if (this.#failure !== undefined) {
        reject(this.#failure);
        return;
      }
      const id = this.#nextId;
      this.#nextId += 1;
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ id, operations } satisfies ToNamer);
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
