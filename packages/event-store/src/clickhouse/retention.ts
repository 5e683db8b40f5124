import type { Maintenance, Retention } from '../port.ts';
import { type ClickHouse, readBytes } from './client.ts';

const DAY_MS = 86_400_000;
const SENDER_IDLE_DAYS = 30;

/** Days are partitions: what is too much is dropped by day, the oldest first, but never the only one. */
export async function maintain(clickhouse: ClickHouse, retention: Retention, nowMs: number): Promise<Maintenance> {
  const at = (table: string) => `"${clickhouse.database}".${table}`;
  const before = await countEvents(clickhouse);
  const limits = {
    events: ['"timeMs"', retention.eventsDays],
    rollup_1m: ['"bucket"', retention.minutesDays],
    rollup_1h: ['"bucket"', retention.hoursDays],
    rollup_1d: ['"bucket"', retention.daysDays],
    senders: ['"seenMs"', SENDER_IDLE_DAYS],
  } as const;
  for (const [table, [column, days]] of Object.entries(limits)) {
    const old = `${column} < ${nowMs - days * DAY_MS}`;
    const [row] = await clickhouse.rows(`select count() as n from ${at(table)} where ${old}`);
    if (Number(row?.n ?? 0) > 0) await clickhouse.command(`alter table ${at(table)} delete where ${old}`);
  }
  const expired = before - (await countEvents(clickhouse));
  while ((await readBytes(clickhouse)) > retention.maxBytes) {
    const partitions = await clickhouse.rows(
      `select partition from system.parts where active and database = {database:String} and table = 'events'
       group by partition order by partition`,
      { database: clickhouse.database },
    );
    const [oldest] = partitions;
    if (oldest === undefined || partitions.length === 1) break;
    await clickhouse.command(`alter table ${at('events')} drop partition ${Number(oldest.partition)}`);
  }
  const evicted = before - expired - (await countEvents(clickhouse));
  return { expiredEvents: expired, evictedEvents: evicted };
}

async function countEvents(clickhouse: ClickHouse): Promise<number> {
  const [row] = await clickhouse.rows(`select count() as n from "${clickhouse.database}".events`);
  return Number(row?.n ?? 0);
}
