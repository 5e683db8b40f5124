import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import {
  addToHour,
  blockSpanMs,
  HOUR_S,
  listBlockStarts,
  MINUTE_S,
  putHour,
  type StoredInterval,
} from './model/roll-up.ts';

/** Nodes or blocks per transaction, so that others wait for their rows only briefly. */
const NODES = 20;
const INTERVALS = 2_000;
/** Most reports about an hour have arrived by then; later ones are added, too. */
const HOUR_CLOSED_AFTER_MS = 5 * 60_000;
const MINUTES_OF_HOUR_MS = blockSpanMs(MINUTE_S);

interface Node {
  readonly project_id: string;
  readonly service_id: string;
  readonly client_id: string;
}

interface IntervalRow extends Node {
  readonly id: number;
  readonly from_at: Date;
  readonly until_at: Date;
  readonly names: Buffer;
}

interface BlockRow extends Node {
  readonly start_at: Date;
  readonly names: Buffer;
}

/**
 * Adds the new intervals of some nodes to their minutes. Resolves to the number of nodes; 0: all is done. Several controllers
 * may do this at once: each takes other nodes.
 */
export function rollUpNodes(db: Db): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows: nodes } = await sql<Node & { rolled_to: number; newest_id: number }>`
      select project_id, service_id, client_id, rolled_to, newest_id from traffic_nodes
      where newest_id > rolled_to order by service_id, client_id limit ${NODES}
      for update skip locked`.execute(tx);
    if (nodes.length === 0) return 0;
    const { rows } = await sql<IntervalRow>`
      select i.project_id, i.service_id, i.client_id, i.id, i.from_at, i.until_at, i.names
      from jsonb_to_recordset(${JSON.stringify(nodes)}::jsonb)
          as n(service_id uuid, client_id uuid, rolled_to bigint, newest_id bigint)
        join traffic_intervals i on i.service_id = n.service_id and i.client_id = n.client_id
          and i.id > n.rolled_to and i.id <= n.newest_id
      order by i.id limit ${INTERVALS}`.execute(tx);
    await storeHours(tx, rows);
    const isCut = rows.length === INTERVALS;
    const last = rows.at(-1)?.id ?? 0;
    // With a full page, every node is done up to the last id of it.
    const done = nodes.map((node) => ({
      ...node,
      rolled_to: isCut ? Math.max(node.rolled_to, Math.min(node.newest_id, last)) : node.newest_id,
    }));
    await sql`
      update traffic_nodes set rolled_to = n.rolled_to
      from jsonb_to_recordset(${JSON.stringify(done)}::jsonb) as n(service_id uuid, client_id uuid, rolled_to bigint)
      where traffic_nodes.service_id = n.service_id and traffic_nodes.client_id = n.client_id`.execute(tx);
    return nodes.length;
  });
}

interface Hour extends Node {
  readonly startMs: number;
  readonly intervals: StoredInterval[];
}

async function storeHours(tx: Tx, rows: readonly IntervalRow[]): Promise<void> {
  const hours = new Map<string, Hour>();
  for (const row of rows) {
    const interval = { fromMs: row.from_at.getTime(), untilMs: row.until_at.getTime(), names: row.names };
    for (const startMs of listBlockStarts(MINUTE_S, interval.fromMs, interval.untilMs)) {
      const key = keyOf(row, startMs);
      const { project_id, service_id, client_id } = row;
      const hour = hours.get(key) ?? { project_id, service_id, client_id, startMs, intervals: [] };
      hour.intervals.push(interval);
      hours.set(key, hour);
    }
  }
  const wanted = [...hours.values()].map((hour) => ({ ...toKey(hour), start_at: new Date(hour.startMs) }));
  const known = await readBlocks(tx, MINUTE_S, wanted);
  const blocks = [...hours].map(([key, hour]) => ({
    ...toKey(hour),
    start_at: new Date(hour.startMs),
    ...toText(addToHour(known.get(key), hour.startMs, hour.intervals)),
  }));
  await storeBlocks(tx, MINUTE_S, blocks);
}

/** Stores the hours of changed blocks of minutes. Resolves to the number of blocks; 0: all is done. */
export function rollUpHours(db: Db, now: Date): Promise<number> {
  const closed = new Date(now.getTime() - MINUTES_OF_HOUR_MS - HOUR_CLOSED_AFTER_MS);
  return db.transaction().execute(async (tx) => {
    // Two blocks of a node may belong to the same week.
    const isFirst = await sql<{ ok: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('traffic hours', 0)) as ok`.execute(tx);
    if (isFirst.rows[0]?.ok !== true) return 0;
    const { rows } = await sql<BlockRow>`
      select project_id, service_id, client_id, start_at, names from traffic_blocks
      where is_changed and start_at <= ${closed} order by start_at limit ${NODES}
      for update`.execute(tx);
    if (rows.length === 0) return 0;
    await storeWeeks(tx, rows);
    const keys = rows.map((row) => ({ ...toKey(row), start_at: row.start_at }));
    await sql`
      update traffic_blocks b set is_changed = false
      from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
        as k(project_id uuid, service_id uuid, client_id uuid, start_at timestamptz)
      where b.project_id = k.project_id and b.service_id = k.service_id and b.client_id = k.client_id
        and b.step_s = ${MINUTE_S} and b.start_at = k.start_at`.execute(tx);
    return rows.length;
  });
}

async function storeWeeks(tx: Tx, rows: readonly BlockRow[]): Promise<void> {
  const weekMs = blockSpanMs(HOUR_S);
  const startOf = ({ start_at }: BlockRow) => Math.floor(start_at.getTime() / weekMs) * weekMs;
  const wanted = rows.map((row) => ({ ...toKey(row), start_at: new Date(startOf(row)) }));
  const known = await readBlocks(tx, HOUR_S, wanted);
  const weeks = new Map<string, ReturnType<typeof putHour> & { readonly row: BlockRow }>();
  for (const row of rows) {
    const key = keyOf(row, startOf(row));
    const step = (row.start_at.getTime() - startOf(row)) / MINUTES_OF_HOUR_MS;
    weeks.set(key, { row, ...putHour(weeks.get(key)?.names ?? known.get(key), step, row.names) });
  }
  const blocks = [...weeks.values()].map(({ row, ...encoded }) => ({
    ...toKey(row),
    start_at: new Date(startOf(row)),
    ...toText(encoded),
  }));
  await storeBlocks(tx, HOUR_S, blocks);
}

type BlockKey = Node & { readonly start_at: Date };

async function readBlocks(tx: Tx, stepS: number, keys: readonly BlockKey[]): Promise<ReadonlyMap<string, Buffer>> {
  const { rows } = await sql<BlockRow>`
    select b.project_id, b.service_id, b.client_id, b.start_at, b.names
    from (select distinct * from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb)
        as k(project_id uuid, service_id uuid, client_id uuid, start_at timestamptz)) k
      join traffic_blocks b using (project_id, service_id, client_id, start_at)
    where b.step_s = ${stepS}`.execute(tx);
  return new Map(rows.map((row) => [keyOf(row, row.start_at.getTime()), row.names]));
}

async function storeBlocks(
  tx: Tx,
  stepS: number,
  blocks: ReadonlyArray<BlockKey & { readonly totals: string; readonly names: string }>,
): Promise<void> {
  await sql`
    insert into traffic_blocks as kept (project_id, service_id, client_id, step_s, start_at, totals, names, is_changed)
    select project_id, service_id, client_id, ${stepS}, start_at, decode(totals, 'base64'), decode(names, 'base64'),
      ${stepS === MINUTE_S}
    from jsonb_to_recordset(${JSON.stringify(blocks)}::jsonb)
      as b(project_id uuid, service_id uuid, client_id uuid, start_at timestamptz, totals text, names text)
    order by project_id, service_id, client_id, start_at
    on conflict (project_id, service_id, client_id, step_s, start_at)
      do update set totals = excluded.totals, names = excluded.names, is_changed = excluded.is_changed`.execute(tx);
}

function toKey({ project_id, service_id, client_id }: Node): Node {
  return { project_id, service_id, client_id };
}

function keyOf({ service_id, client_id }: Pick<Node, 'service_id' | 'client_id'>, startMs: number): string {
  return `${service_id} ${client_id} ${startMs}`;
}

function toText({ totals, names }: { readonly totals: Buffer; readonly names: Buffer }) {
  return { totals: totals.toString('base64'), names: names.toString('base64') };
}
