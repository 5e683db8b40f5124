import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type BundleHead, headOf, type PackedItem, packPolicies } from '@flotilla/decision';
import { err, ok, type Result } from '@flotilla/kit';
import { type LoadedPolicies, type LoadProblem, loadPolicyFiles, type PolicyFile } from '@flotilla/policy';

/** Up to this size a bundle is read in a millisecond or two, which no request notices. */
const INLINE_MAX_BYTES = 2 * 1024;

/** Items of one piece: building them takes about half a millisecond. */
const ITEMS_PER_PIECE = 256;

/** How long the thread that reads bundles waits for the next one before it ends; starting it costs more than waiting. */
const IDLE_MS = 2000;

/** The worker lies beside this file, as source or as a bundle of its own. */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? './load-worker.ts' : './shield-load-worker.mjs',
  import.meta.url,
);

/** A good bundle, in pieces. */
export interface OpenedBundle {
  readonly head: BundleHead;
  /** The items of `packPolicies`, in order. Can be read once. */
  items(): AsyncIterable<readonly PackedItem[]> | Iterable<readonly PackedItem[]>;
}

/** What is asked of the thread that reads bundles. */
export type ToLoadWorker =
  | { readonly kind: 'load'; readonly files: readonly PolicyFile[] }
  /** The next piece of the bundle that was read last. */
  | { readonly kind: 'next' };

export type FromLoadWorker =
  | { readonly kind: 'loaded'; readonly result: Result<BundleHead, LoadProblem[]> }
  /** Empty behind the last. */
  | { readonly kind: 'items'; readonly items: readonly PackedItem[] };

export function openBundle(loaded: LoadedPolicies): OpenedBundle {
  return { head: headOf(loaded), items: () => piecesOf(loaded) };
}

export function* piecesOf(loaded: LoadedPolicies): Generator<readonly PackedItem[], void> {
  let items: PackedItem[] = [];
  for (const item of packPolicies(loaded.domains)) {
    items.push(item);
    if (items.length < ITEMS_PER_PIECE) continue;
    yield items;
    items = [];
  }
  if (items.length > 0) yield items;
}

/**
 * Reads bundles without holding up requests: a thread of its own parses, checks and normalises (ten thousand routes take
 * most of a second) and hands the result over piece by piece. A thread that cannot be had must not keep a policy out, so
 * the bundle is then read here.
 */
export class BundleLoader {
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  /** One at a time; the bundle before must have been read to its end, or given up. */
  async load(files: readonly PolicyFile[]): Promise<Result<OpenedBundle, LoadProblem[]>> {
    const size = files.reduce((sum, file) => sum + file.content.length, 0);
    if (size <= INLINE_MAX_BYTES) return loadHere(files);
    try {
      const answer = await this.#ask({ kind: 'load', files });
      if (answer.kind !== 'loaded') throw new Error(`the thread answered ${answer.kind}`);
      if (!answer.result.ok) return err(answer.result.error);
      return ok({ head: answer.result.value, items: () => this.#items() });
    } catch {
      this.#end();
      return loadHere(files);
    }
  }

  close(): void {
    this.#end();
  }

  async *#items(): AsyncGenerator<readonly PackedItem[], void> {
    for (;;) {
      const answer = await this.#ask({ kind: 'next' });
      if (answer.kind !== 'items') throw new Error(`the thread answered ${answer.kind}`);
      if (answer.items.length === 0) return;
      yield answer.items;
    }
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
    } finally {
      settled.abort();
      // A thread that waits for work keeps no program running.
      worker.unref();
      this.#idle = setTimeout(() => this.#end(), IDLE_MS);
      this.#idle.unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(WORKER, { name: 'shield-load' });
    // Nobody may be asking when it fails.
    worker.on('error', () => undefined);
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }

  #end(): void {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    worker?.terminate().catch(() => undefined);
  }
}

function loadHere(files: readonly PolicyFile[]): Result<OpenedBundle, LoadProblem[]> {
  const loaded = loadPolicyFiles(files);
  return loaded.ok ? ok(openBundle(loaded.value)) : loaded;
}
