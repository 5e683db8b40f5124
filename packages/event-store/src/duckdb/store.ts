import { encodeBatch } from '../encode.ts';
import { DEFAULT_RETENTION, type EventStore, type Retention } from '../port.ts';
import type { DatabaseOptions } from './database.ts';
import type { Task } from './messages.ts';
import { StoreProcess } from './store-process.ts';
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
  /** Default: the source of the process next to this file. A bundle names its own. */
  readonly worker?: URL;
}

/** Opens the embedded store: DuckDB in a process of its own, one file. If the process is killed, the next call starts another one. */
export async function openDuckDbStore(options: DuckDbStoreOptions): Promise<EventStore> {
  const now = options.now ?? Date.now;
  const entry = options.worker ?? new URL('./worker.ts', import.meta.url);
  const calls = new StoreProcess(entry, toDatabaseOptions(options));
  const call = <T>(name: Task['name'], ...args: unknown[]) => calls.ask({ name, args }, now()) as Promise<T>;
  try {
    await calls.open(now());
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
    completeFrom: () => call('completeFrom'),
    raiseCompleteFrom: (timeMs) => call('raiseCompleteFrom', timeMs),
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

/** About a row group. With little memory, fewer rows are sorted and added up at a time. */
const TAIL_ROWS_MAX = 100_000;
const TAIL_ROWS_PER_MB = 500;

function toDatabaseOptions(options: DuckDbStoreOptions): DatabaseOptions {
  const { memoryMb = 192 } = options;
  return {
    path: options.path,
    retention: { ...DEFAULT_RETENTION, ...options.retention },
    memoryMb,
    threads: options.threads ?? 2,
    walMb: options.walMb ?? 32,
    segmentRows: options.segmentRows ?? 2_000_000,
    tailRows: options.tailRows ?? Math.min(TAIL_ROWS_MAX, memoryMb * TAIL_ROWS_PER_MB),
    words: options.words ?? { path: 100_000, other: 20_000 },
  };
}
