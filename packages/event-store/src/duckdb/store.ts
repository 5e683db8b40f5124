import { Worker } from 'node:worker_threads';
import { encodeBatch } from '../encode.ts';
import { EVENT_STORE_ERRORS } from '../errors.ts';
import { fromFailure } from '../failure.ts';
import { DEFAULT_RETENTION, type EventStore, type Retention } from '../port.ts';
import type { DatabaseOptions } from './database.ts';
import type { Answer, Question, Task } from './messages.ts';
import type { WordLimits } from './words.ts';

export interface DuckDbStoreOptions {
  /** The file. One process has it open at a time. */
  readonly path: string;
  readonly retention?: Partial<Retention>;
  readonly now?: () => number;
  /** Memory that DuckDB may use for buffers and queries. Default: 192 MB. */
  readonly memoryMb?: number;
  readonly threads?: number;
  readonly walMb?: number;
  readonly segmentRows?: number;
  readonly tailRows?: number;
  readonly words?: WordLimits;
  /** Default: the worker's source next to this file. A bundle names its own. */
  readonly worker?: URL;
}

/** The worker has columns, which are outside of V8's heap, and few objects. */
const YOUNG_MB = 24;

interface Caller {
  readonly resolve: (result: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

/** Opens the embedded store: DuckDB in a worker thread, one file. */
export async function openDuckDbStore(options: DuckDbStoreOptions): Promise<EventStore> {
  const now = options.now ?? Date.now;
  const calls = new WorkerCalls(options.worker ?? new URL('./worker.ts', import.meta.url), toDatabaseOptions(options));
  const call = <T>(name: Task['name'], ...args: unknown[]) => calls.ask({ name, args }, now()) as Promise<T>;
  try {
    await call('open');
  } catch (cause) {
    await calls.end();
    throw cause;
  }
  return {
    append: async (project, batch) => {
      const encoded = encodeBatch(project, batch, now());
      // Nothing to store, so nothing to remember: the batch is as good as stored each time.
      return encoded.rows === 0 ? 'stored' : call('append', { project, batch: encoded });
    },
    totals: (project, range) => call('totals', project, range),
    percentiles: (project, range) => call('percentiles', project, range),
    series: (project, range) => call('series', project, range),
    latencyMap: (project, query) => call('latencyMap', project, query),
    groups: (project, query) => call('groups', project, query),
    top: (project, range) => call('top', project, range),
    distinct: (project, range) => call('distinct', project, range),
    rates: (project, range) => call('rates', project, range),
    facets: (project, range) => call('facets', project, range),
    page: (project, range) => call('page', project, range),
    exportEvents: (project, options) => call('exportEvents', project, options),
    forward: (project, query) => call('forward', project, query),
    projects: () => call('projects'),
    deleteProject: (project) => call('deleteProject', project),
    maintain: (nowMs, retention) =>
      calls.ask({ name: 'maintain', args: [retention] }, nowMs) as ReturnType<EventStore['maintain']>,
    compact: () => call('compact'),
    health: () => call('health'),
    close: async () => {
      await call('close');
      await calls.end();
    },
  };
}

function toDatabaseOptions(options: DuckDbStoreOptions): DatabaseOptions {
  return {
    path: options.path,
    retention: { ...DEFAULT_RETENTION, ...options.retention },
    memoryMb: options.memoryMb ?? 192,
    threads: options.threads ?? 2,
    walMb: options.walMb ?? 32,
    segmentRows: options.segmentRows ?? 2_000_000,
    tailRows: options.tailRows ?? 100_000,
    words: options.words ?? { path: 100_000, other: 20_000 },
  };
}

/** Questions to the worker. If it ends, every question that waits fails, and so does every later one. */
class WorkerCalls {
  readonly #worker: Worker;
  readonly #callers = new Map<number, Caller>();
  #next = 0;
  #ended: unknown;

  constructor(url: URL, workerData: DatabaseOptions) {
    const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB };
    this.#worker = new Worker(url, { workerData, name: 'event-store', resourceLimits });
    this.#worker.on('message', (answer: Answer) => this.#settle(answer));
    this.#worker.on('error', (cause) => this.#fail(EVENT_STORE_ERRORS.failed(cause)));
    this.#worker.on('exit', () => this.#fail(EVENT_STORE_ERRORS.closed()));
  }

  ask(task: Task, nowMs: number): Promise<unknown> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const id = this.#next;
      this.#next += 1;
      this.#callers.set(id, { resolve, reject });
      this.#worker.postMessage({ id, task, nowMs } satisfies Question);
    });
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle({ id, result, failure }: Answer): void {
    const caller = this.#callers.get(id);
    this.#callers.delete(id);
    if (failure === undefined) caller?.resolve(result);
    else caller?.reject(fromFailure(failure));
  }

  #fail(cause: unknown): void {
    this.#ended ??= cause;
    for (const { reject } of this.#callers.values()) reject(this.#ended);
    this.#callers.clear();
  }
}
