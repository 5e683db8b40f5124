import type { HostSeries, ShieldCounters, ShieldSeries } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Range } from '../../../platform/http/time-range.ts';
import { findGaps, findOpenStep } from './gaps.ts';
import { type CountFilter, readReported } from './report-store.ts';
import { AVERAGED, AVERAGED_NULLABLE } from './sample.ts';

type HostPointRow = Omit<HostSeries['points'][number], 'at'> & { at: Date };

const averages = sql.raw(
  [
    ...AVERAGED.map((column) => `sum(${column} * samples) / sum(samples) as ${column}`),
    ...AVERAGED_NULLABLE.map(
      (column) => `sum(${column} * samples) / sum(samples) filter (where ${column} is not null) as ${column}`,
    ),
  ].join(', '),
);

const counts = sql.raw(
  ['allowed', 'blocked', 'detected', 'error']
    .map((verdict) => {
      const name = verdict === 'error' ? 'errors' : verdict;
      return `coalesce(sum(count) filter (where verdict = '${verdict}'), 0)::float8 as ${name}`;
    })
    .join(', '),
);

export async function readHostSeries(db: Db, clientId: string, range: Range): Promise<HostSeries> {
  const { rows } = await sql<HostPointRow>`
    select ${stepOf(range)} as at, ${averages},
      (array_agg(disk_mount order by minute desc) filter (where disk_mount is not null))[1] as disk_mount
    from client_samples
    where client_id = ${clientId} and minute >= ${range.from} and minute < ${range.to}
    group by 1 order by 1`.execute(db);
  return { ...toWire(range), points: rows.map((row) => ({ ...row, at: row.at.toISOString() })) };
}

export async function readShieldSeries(
  db: Db,
  filter: CountFilter,
  { range, now }: { readonly range: Range; readonly now: Date },
): Promise<ShieldSeries> {
  const { rows } = await sql<Omit<ShieldSeries['points'][number], 'at'> & { at: Date }>`
    select ${stepOf(range)} as at, ${counts} from shield_counts where ${matches(filter, range)}
    group by 1 order by 1`.execute(db);
  const points = rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  const openFrom = findOpenStep(range, now);
  const ended = { ...range, to: openFrom ?? range.to };
  const gaps = findGaps(ended, { reported: await readReported(db, filter, ended), points });
  return {
    ...toWire(range),
    points,
    gaps,
    open_from: openFrom?.toISOString() ?? null,
    unplaced: await readUnplaced(db, filter, range),
  };
}

async function readUnplaced(
  db: Db,
  filter: CountFilter,
  span: { readonly from: Date; readonly to: Date },
): Promise<ShieldSeries['unplaced']> {
  const { rows } = await sql<ShieldSeries['unplaced']>`
    select coalesce(sum(dropped), 0)::float8 as dropped, coalesce(sum(clock_off), 0)::float8 as clock_off
    from shield_count_faults where ${matches(filter, span)}`.execute(db);
  return rows[0] ?? { dropped: 0, clock_off: 0 };
}

export async function readShieldCounters(
  db: Db,
  filter: CountFilter,
  span: { readonly from: Date; readonly to: Date },
): Promise<ShieldCounters> {
  const { rows } = await sql<ShieldCounters['counters'][number]>`
    select policy, engine, reason, verdict, sum(count)::float8 as count from shield_counts where ${matches(filter, span)}
    group by policy, engine, reason, verdict order by count desc, policy, engine, reason, verdict`.execute(db);
  const sum = (verdict: string) =>
    rows.reduce((total, row) => (row.verdict === verdict ? total + row.count : total), 0);
  const { rows: newest } = await sql<{ minute: Date | null }>`
    select max(minute) as minute from shield_counts where ${belongsTo(filter)}`.execute(db);
  return {
    from: span.from.toISOString(),
    to: span.to.toISOString(),
    totals: { allowed: sum('allowed'), blocked: sum('blocked'), detected: sum('detected'), errors: sum('error') },
    counters: rows,
    unplaced: await readUnplaced(db, filter, span),
    updated_at: newest[0]?.minute?.toISOString() ?? null,
  };
}

function stepOf({ stepS }: Range): RawBuilder<Date> {
  return sql`date_bin(${stepS} * interval '1 second', minute, timestamptz '1970-01-01 00:00:00+00')`;
}

function belongsTo({ projectId, policy, serviceId, clientId }: CountFilter): RawBuilder<SqlBool> {
  return sql`project_id = ${projectId}
    ${policy === undefined ? sql`` : sql`and policy = ${policy}`}
    ${serviceId === undefined ? sql`` : sql`and service_id = ${serviceId}`}
    ${clientId === undefined ? sql`` : sql`and client_id = ${clientId}`}`;
}

function matches(filter: CountFilter, { from, to }: { readonly from: Date; readonly to: Date }): RawBuilder<SqlBool> {
  // The minute that contains `from` belongs to the span.
  return sql`${belongsTo(filter)} and minute >= date_trunc('minute', ${from}::timestamptz) and minute < ${to}`;
}

function toWire({ from, to, stepS }: Range) {
  return { from: from.toISOString(), to: to.toISOString(), step_s: stepS };
}
