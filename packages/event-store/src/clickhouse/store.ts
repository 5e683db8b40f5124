import { type ClickHouseClient, createClient } from '@clickhouse/client';
import { SerialQueue } from '@flotilla/kit';
import { encodeBatch } from '../encode.ts';
import { nextHour } from '../event.ts';
import { DEFAULT_RETENTION, type EventStore, type Retention, type StoreHealth, toProjectId } from '../port.ts';
import { createReader } from '../read.ts';
import { ClickHouse, readBytes } from './client.ts';
import { createClickHouseDialect } from './dialect.ts';
import { insertBatch, isStored } from './insert.ts';
import { maintain, raiseCompleteFrom, readCompleteFrom } from './retention.ts';
import { ROLLUPS, schemaSql } from './schema.ts';

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
  const lacks = await findMissing(clickhouse);
  for (const sql of schemaSql(database)) await clickhouse.command(sql);
  const ranksSinceMs = await noteRanksSince(clickhouse, lacks.ranks ? nextHour(now()) : 0);
  // Nobody knows what was deleted before the oldest event.
  if (lacks.completeFrom) await raiseCompleteFrom(clickhouse, (await readHealth(clickhouse)).oldestMs ?? 0);
  let retention = { ...DEFAULT_RETENTION, ...options.retention };
  return {
    ...createReader({
      wordOf: String,
      ranksSinceMs: () => ranksSinceMs,
      isLossy: false,
      statement: (project) => {
        const { dialect, params } = createClickHouseDialect(database, project);
        return { dialect, run: (sql) => clickhouse.rows(sql, params) };
      },
    }),
    append: createAppend(clickhouse, now),
    completeFrom: () => readCompleteFrom(clickhouse),
    raiseCompleteFrom: (timeMs) => raiseCompleteFrom(clickhouse, timeMs),
    projects: async () => {
      const rows = await clickhouse.rows(
        `select project from "${database}".events group by project union distinct
         select project from "${database}".rollup_1d group by project order by project`,
      );
      return rows.map(({ project }) => toProjectId(String(project)));
    },
    deleteProject: async (project) => {
      for (const table of ['events', 'senders', ...Object.keys(ROLLUPS)]) {
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
      for (const table of ['events', 'senders', ...Object.keys(ROLLUPS)]) {
        await clickhouse.command(`optimize table "${database}".${table} final`);
      }
    },
    health: () => readHealth(clickhouse),
    close: () => client.close(),
  };
}

/**
 * Finds what a database of an earlier version lacks. A new one gets everything at once and lacks nothing: it has sums for rankings from the start,
 * an older one from an hour that has no events yet.
 */
async function findMissing(
  clickhouse: ClickHouse,
): Promise<{ readonly ranks: boolean; readonly completeFrom: boolean }> {
  const rows = await clickhouse.rows('select name from system.tables where database = {database:String}', {
    database: clickhouse.database,
  });
  const names = new Set(rows.map(({ name }) => name));
  const isThere = names.has('events');
  return { ranks: isThere && !names.has('consumer_1d_view'), completeFrom: isThere && !names.has('complete_from') };
}

/** Stores the time with the database. The latest one holds: two collectors may have added the sums at once. */
async function noteRanksSince(clickhouse: ClickHouse, sinceMs: number): Promise<number> {
  const table = `"${clickhouse.database}".ranks_since`;
  await clickhouse.command(
    `create table if not exists ${table} ("sinceMs" Int64) engine = MergeTree order by "sinceMs"`,
  );
  if (sinceMs > 0) await clickhouse.command(`insert into ${table} values ({sinceMs:Int64})`, { sinceMs });
  const [row] = await clickhouse.rows(`select max("sinceMs") as since from ${table}`);
  return Number(row?.since ?? 0);
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
    processId: null,
  };
}
