import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';
import type { StoredReason } from './model/problems.ts';
import type { MinuteCounts } from './model/reading.ts';
import { type Rates, toRisingErrors } from './model/rising-errors.ts';

export interface IntervalRow {
  readonly client_id: string;
  readonly service_id: string;
  readonly epoch: string;
  readonly seq: number;
  readonly from_at: string;
  readonly until_at: string;
  /** Blocks in base64. */
  readonly totals: string;
  readonly names: string;
  readonly minutes: readonly MinuteCounts[];
}

/** The newest report of a node. */
export interface NodeRow {
  readonly client_id: string;
  readonly service_id: string;
  readonly first_at: string;
  readonly reported_at: string;
  readonly clock_offset_ms: number;
  readonly problems: ReadonlyArray<{
    readonly cluster: string;
    readonly address: string;
    readonly reasons: readonly string[];
    readonly since: string;
  }>;
  readonly problems_omitted: number;
  readonly names_omitted: number;
  readonly reasons: readonly StoredReason[];
}

export interface AddedInterval {
  readonly client_id: string;
  readonly service_id: string;
  readonly epoch: string;
  readonly seq: number;
}

/**
 * Stores new intervals of many nodes and what they say about now, with a fixed number of statements. Ignores services that are
 * not assigned to the client. An interval that was stored before adds nothing, on any controller. Resolves to the added ones.
 */
export function addIntervals(
  db: Db,
  { intervals, nodes }: { readonly intervals: readonly IntervalRow[]; readonly nodes: readonly NodeRow[] },
  now: Date,
): Promise<AddedInterval[]> {
  return db.transaction().execute(async (tx) => {
    // Serialises the flushes of all controllers, so that ids are committed in their order and rows are always locked in the same order.
    await takeLock(tx, 'traffic intervals');
    const added = await insertIntervals(tx, intervals, now);
    const rates = await readRates(tx, nodes, now);
    const newestIdOf = new Map<string, number>();
    for (const { client_id, service_id, id } of added) newestIdOf.set(`${client_id} ${service_id}`, id);
    const rows = nodes.map((node) => {
      const key = `${node.client_id} ${node.service_id}`;
      return {
        ...node,
        reasons: [...node.reasons, ...toRisingErrors(rates.get(key))],
        newest_id: newestIdOf.get(key) ?? 0,
      };
    });
    await upsertNodes(tx, rows, now);
    return added;
  });
}

async function insertIntervals(tx: Tx, rows: readonly IntervalRow[], now: Date) {
  const { rows: added } = await sql<AddedInterval & { id: number }>`
    with given as (
      select distinct on (g.service_id, g.client_id, g.epoch, g.seq) s.project_id, g.*
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(client_id uuid, service_id uuid, epoch uuid, seq bigint,
        from_at timestamptz, until_at timestamptz, totals text, names text, minutes jsonb)
      join service_targets t on t.client_id = g.client_id and t.service_id = g.service_id
      join services s on s.id = g.service_id
      left join traffic_marks m
        on m.client_id = g.client_id and m.service_id = g.service_id and m.epoch = g.epoch
      where m.seq is null or g.seq > m.seq
      order by g.service_id, g.client_id, g.epoch, g.seq
    ), added as (
      insert into traffic_intervals
        (project_id, service_id, client_id, epoch, seq, from_at, until_at, received_at, totals, names)
      select project_id, service_id, client_id, epoch, seq, from_at, until_at, ${now}, decode(totals, 'base64'),
        decode(names, 'base64')
      from given
      on conflict do nothing
      returning service_id, client_id, epoch, seq, id
    ), counted as (
      insert into traffic_minutes as kept (project_id, service_id, client_id, minute, requests, errors, covered_ms)
      select given.project_id, given.service_id, given.client_id, m.minute, sum(m.requests), sum(m.errors),
        least(sum(m.covered_ms), 600000)
      from added join given using (service_id, client_id, epoch, seq)
        cross join lateral jsonb_to_recordset(given.minutes)
          as m(minute timestamptz, requests bigint, errors bigint, covered_ms int)
      group by 1, 2, 3, 4
      on conflict (project_id, service_id, client_id, minute) do update set requests = kept.requests + excluded.requests,
        errors = kept.errors + excluded.errors, covered_ms = least(kept.covered_ms + excluded.covered_ms, 600000)
    )
    select service_id, client_id, epoch, seq, id from added order by id`.execute(tx);
  return added;
}

async function readRates(tx: Tx, nodes: readonly NodeRow[], now: Date): Promise<ReadonlyMap<string, Rates>> {
  const keys = nodes.map(({ client_id, service_id }) => ({ client_id, service_id }));
  const { rows } = await sql<Rates & { client_id: string; service_id: string }>`
    select client_id, service_id,
      coalesce(sum(requests) filter (where minute >= recent), 0)::float8 as requests,
      coalesce(sum(errors) filter (where minute >= recent), 0)::float8 as errors,
      coalesce(sum(requests) filter (where minute < recent), 0)::float8 as requests_before,
      coalesce(sum(errors) filter (where minute < recent), 0)::float8 as errors_before
    from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as g(client_id uuid, service_id uuid)
      join services on services.id = g.service_id
      join traffic_minutes using (service_id, client_id)
      cross join (select date_trunc('minute', ${now}::timestamptz - interval '30 seconds') as recent) spans
    where traffic_minutes.project_id = services.project_id and minute >= recent - interval '15 minutes'
      and minute <= ${now}
    group by client_id, service_id`.execute(tx);
  return new Map(rows.map((row) => [`${row.client_id} ${row.service_id}`, row]));
}

const NEWEST = ['reported_at', 'clock_offset_ms', 'problems_omitted', 'names_omitted', 'reasons'] as const;
const newer = sql.raw(
  NEWEST.map(
    (column) =>
      `${column} = case when excluded.reported_at >= kept.reported_at then excluded.${column} else kept.${column} end`,
  ).join(', '),
);

/** An older report does not replace what a newer one says about now. */
async function upsertNodes(tx: Tx, rows: ReadonlyArray<NodeRow & { newest_id: number }>, now: Date): Promise<void> {
  await sql`
    insert into traffic_nodes as kept (project_id, service_id, client_id, first_at, reported_at, received_at,
      clock_offset_ms, problems, problems_omitted, names_omitted, reasons, newest_id)
    select s.project_id, g.service_id, g.client_id, g.first_at, g.reported_at, ${now}, g.clock_offset_ms, g.problems,
      g.problems_omitted, g.names_omitted, g.reasons, g.newest_id
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(client_id uuid, service_id uuid, first_at timestamptz,
      reported_at timestamptz, clock_offset_ms bigint, problems jsonb, problems_omitted int, names_omitted int,
      reasons jsonb, newest_id bigint)
    join service_targets t on t.client_id = g.client_id and t.service_id = g.service_id
    join services s on s.id = g.service_id
    order by g.service_id, g.client_id
    on conflict (service_id, client_id) do update set ${newer},
      first_at = least(kept.first_at, excluded.first_at),
      received_at = excluded.received_at,
      newest_id = greatest(kept.newest_id, excluded.newest_id),
      problems = case when excluded.reported_at < kept.reported_at then kept.problems else (
        select coalesce(jsonb_agg(one || jsonb_build_object('since', coalesce(known ->> 'since', one ->> 'since'))), '[]')
        from jsonb_array_elements(excluded.problems) one
          left join jsonb_array_elements(kept.problems) known
            on known ->> 'cluster' = one ->> 'cluster' and known ->> 'address' = one ->> 'address') end`.execute(tx);
}
