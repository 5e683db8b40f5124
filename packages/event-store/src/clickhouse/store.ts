import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { SerialQueue } from '@flotilla/kit';
import { encodeBatch } from '../encode.ts';
import { DEFAULT_RETENTION, type EventStore, type Retention, type StoreHealth, toProjectId } from '../port.ts';
import { createReader } from '../read.ts';
import { ClickHouse, readBytes } from './client.ts';
import { createClickHouseDialect } from './dialect.ts';
import { insertBatch, isStored } from './insert.ts';
import { maintain } from './retention.ts';
import { ROLLUP_STEPS, schemaSql } from './schema.ts';

export interface ClickHouseStoreOptions {
  /** The server, or a client that is connected already; `close` closes it in both cases. */
  readonly server: { readonly url: string; readonly username?: string; readonly password?: string } | ClickHouseClient;
  /** Default: `flotilla`. Letters, digits and underscores. */
  readonly database?: string;
  readonly retention?: Partial<Retention>;
  readonly now?: () => number;
}

/** Opens the store of an installation that needs more than one machine. Creates its database and tables. */
export async function openClickHouseStore(options: ClickHouseStoreOptions): Promise<EventStore> {
  const { server, database = 'flotilla', now = Date.now } = options;
  if (!/^\w{1,64}$/.test(database)) {
    throw new RangeError('The name of the database has 1 to 64 letters, digits and underscores.');
  }
  const client =
    'query' in server ? server : createClient({ ...server, compression: { request: true, response: true } });
  const clickhouse = new ClickHouse(client, database);
  for (const sql of schemaSql(database)) await clickhouse.command(sql);
  let retention = { ...DEFAULT_RETENTION, ...options.retention };
  return {
    ...createReader({
      wordOf: String,
      statement: (project) => {
        const { dialect, params } = createClickHouseDialect(database, project);
        return { dialect, run: (sql) => clickhouse.rows(sql, params) };
      },
    }),
    append: createAppend(clickhouse, now),
    projects: async () => {
      const rows = await clickhouse.rows(
        `select project from "${database}".events group by project union distinct
         select project from "${database}".rollup_1d group by project order by project`,
      );
      return rows.map(({ project }) => toProjectId(String(project)));
    },
    deleteProject: async (project) => {
      for (const table of ['events', 'senders', ...Object.keys(ROLLUP_STEPS)]) {
        await clickhouse.command(`alter table "${database}".${table} delete where project = {project:String}`, {
          project,
        });
      }
    },
    maintain: (nowMs, changes) => {
      retention = { ...retention, ...changes };
      return maintain(clickhouse, retention, nowMs);
    },
    compact: async () => {
      for (const table of ['events', 'senders', ...Object.keys(ROLLUP_STEPS)]) {
        await clickhouse.command(`optimize table "${database}".${table} final`);
      }
    },
    health: () => readHealth(clickhouse),
    close: () => client.close(),
  };
}

/** Batches of one sender go one after the other: a later one must not hide an earlier one that is still on its way. */
function createAppend(clickhouse: ClickHouse, now: () => number): EventStore['append'] {
  const queues = new Map<string, { readonly queue: SerialQueue; waiting: number }>();
  return async (project, batch) => {
    const encoded = encodeBatch(project, batch, now());
    if (encoded.rows === 0) return 'stored';
    const key = JSON.stringify([project, batch.sender]);
    const entry = queues.get(key) ?? { queue: new SerialQueue(), waiting: 0 };
    queues.set(key, entry);
    entry.waiting += 1;
    try {
      return await entry.queue.run(async () => {
        if (await isStored(clickhouse, project, encoded)) return 'duplicate';
        await insertBatch(clickhouse, project, encoded);
        return 'stored';
      });
    } finally {
      entry.waiting -= 1;
      if (entry.waiting === 0) queues.delete(key);
    }
  };
}

async function readHealth(clickhouse: ClickHouse): Promise<StoreHealth> {
  const [row] = await clickhouse.rows(
    `select count() as n, min("timeMs") as oldest, max("timeMs") as newest from "${clickhouse.database}".events`,
  );
  const events = Number(row?.n ?? 0);
  return {
    kind: 'clickhouse',
    events,
    bytes: await readBytes(clickhouse),
    oldestMs: events === 0 ? null : Number(row?.oldest),
    newestMs: events === 0 ? null : Number(row?.newest),
    overflowedWords: 0,
    setAside: null,
  };
}
