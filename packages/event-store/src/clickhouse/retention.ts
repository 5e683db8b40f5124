import type { Maintenance, Retention } from '../port.ts';
import { rollupDays } from '../query.ts';
import { type ClickHouse, readBytes } from './client.ts';
import { ROLLUPS } from './schema.ts';

const DAY_MS = 86_400_000;
const SENDER_IDLE_DAYS = 30;

/** Days are partitions: what is too much is dropped by day, the oldest first, but never the only one. */
export async function maintain(clickhouse: ClickHouse, retention: Retention, nowMs: number): Promise<Maintenance> {
  const at = (table: string) => `"${clickhouse.database}".${table}`;
  const before = await countEvents(clickhouse);
  const days = rollupDays(retention);
  const limits = [
    ['events', '"timeMs"', retention.eventsDays],
    ...Object.entries(ROLLUPS).map(([table, { step }]) => [table, '"bucket"', days[step]] as const),
    ['senders', '"seenMs"', SENDER_IDLE_DAYS],
  ] as const;
  for (const [table, column, keptDays] of limits) {
    const old = `${column} < ${nowMs - keptDays * DAY_MS}`;
    const [row] = await clickhouse.rows(`select count() as n from ${at(table)} where ${old}`);
    if (Number(row?.n ?? 0) === 0) continue;
    if (table === 'events') await raiseCompleteFrom(clickhouse, nowMs - keptDays * DAY_MS);
    await clickhouse.command(`alter table ${at(table)} delete where ${old}`);
  }
  const expired = before - (await countEvents(clickhouse));
  while ((await readBytes(clickhouse)) > retention.maxBytes) {
    const partitions = await clickhouse.rows(
      `select partition from system.parts where active and database = {database:String} and table = 'events'
       group by partition order by partition`,
      { database: clickhouse.database },
    );
    const [oldest, next] = partitions;
    if (oldest === undefined || next === undefined) break;
    await raiseCompleteFrom(clickhouse, startOfPartition(String(next.partition)));
    await clickhouse.command(`alter table ${at('events')} drop partition ${Number(oldest.partition)}`);
  }
  const evicted = before - expired - (await countEvents(clickhouse));
  return { expiredEvents: expired, evictedEvents: evicted };
}

/** `day` is a date like 20261129. Returns when it begins, in milliseconds. */
function startOfPartition(day: string): number {
  return Date.UTC(Number(day.slice(0, 4)), Number(day.slice(4, 6)) - 1, Number(day.slice(6, 8)));
}

export async function readCompleteFrom(clickhouse: ClickHouse): Promise<number> {
  const [row] = await clickhouse.rows(`select max("timeMs") as "timeMs" from "${clickhouse.database}".complete_from`);
  return Number(row?.timeMs ?? 0);
}

/** Before events are deleted: an answer may say too early that they are gone, never too late. */
export async function raiseCompleteFrom(clickhouse: ClickHouse, timeMs: number): Promise<void> {
  if (timeMs <= (await readCompleteFrom(clickhouse))) return;
  const table = `"${clickhouse.database}".complete_from`;
  await clickhouse.command(`insert into ${table} values ({timeMs:Int64})`, { timeMs });
}

async function countEvents(clickhouse: ClickHouse): Promise<number> {
  const [row] = await clickhouse.rows(`select count() as n from "${clickhouse.database}".events`);
  return Number(row?.n ?? 0);
}
