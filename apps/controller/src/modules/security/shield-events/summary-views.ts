import type { ShieldEventFilter, ShieldEventGroup, ShieldEventSummary } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { matchesFilter } from './views.ts';

/** Kinds of groups, by the column whose values distinguish them. */
const KINDS = [
  'engine',
  'reason',
  'policy',
  'route',
  'service_id',
  'client_id',
  'host',
  'path',
  'source_ip',
  'subject',
] as const;
type Kind = (typeof KINDS)[number];

interface GroupRow {
  readonly kind: number;
  readonly name: string | null;
  readonly label: string | null;
  readonly events: number;
  readonly blocked: number;
  readonly detected: number;
  readonly errors: number;
  readonly last_at: Date;
}

/** Counts of a time span and the `top` largest groups of each kind, in one statement. */
export async function summarizeEvents(
  db: Db,
  projectId: string,
  { filter, span, top }: { filter: ShieldEventFilter; span: { readonly from: Date; readonly to: Date }; top: number },
): Promise<ShieldEventSummary> {
  const times = { from: span.from.toISOString(), to: span.to.toISOString() };
  const where = matchesFilter(projectId, { ...filter, ...times });
  const { rows, dropped } = await db.transaction().execute(async (tx) => {
    // Ten groupings at once: with less memory they are sorted on disk, which takes twice as long.
    await sql`set local work_mem = '64MB'`.execute(tx);
    const { rows: found } = await select(where, top).execute(tx);
    return { rows: found, dropped: await countDropped(tx, projectId, { ...filter, ...times }) };
  });
  const total = rows.find(({ kind }) => kind === ALL);
  const groupsOf = (kind: Kind) => {
    const groups = rows.filter((row) => row.kind === maskOf(kind)).map(toGroup);
    const listed = groups.reduce((sum, { events }) => sum + events, 0);
    return { groups, others: (total?.events ?? 0) - listed };
  };
  return {
    ...times,
    totals: {
      events: total?.events ?? 0,
      blocked: total?.blocked ?? 0,
      detected: total?.detected ?? 0,
      errors: total?.errors ?? 0,
    },
    dropped,
    last_at: total && total.events > 0 ? total.last_at.toISOString() : null,
    by_engine: groupsOf('engine'),
    by_reason: groupsOf('reason'),
    by_policy: groupsOf('policy'),
    by_route: groupsOf('route'),
    by_service: groupsOf('service_id'),
    by_client: groupsOf('client_id'),
    by_host: groupsOf('host'),
    by_path: groupsOf('path'),
    by_source_ip: groupsOf('source_ip'),
    by_subject: groupsOf('subject'),
  };
}

/** A minute counts if it started within the span. */
async function countDropped(db: Db, projectId: string, filter: ShieldEventFilter): Promise<number> {
  const { service_id: services, client_id: clients, from, to } = filter;
  let query = db
    .selectFrom('shield_event_drops')
    .select(sql<number>`coalesce(sum(count), 0)::bigint`.as('dropped'))
    .where('project_id', '=', projectId);
  if (services !== undefined) query = query.where('service_id', 'in', [...services]);
  if (clients !== undefined) query = query.where('client_id', 'in', [...clients]);
  if (from !== undefined) query = query.where('time', '>=', sql<Date>`date_trunc('minute', ${from}::timestamptz)`);
  if (to !== undefined) query = query.where('time', '<', sql<Date>`${to}::timestamptz`);
  return (await query.executeTakeFirstOrThrow()).dropped;
}

/** Groups by the raw columns; labels are built for the few remaining rows. */
function select(where: RawBuilder<SqlBool>, top: number): RawBuilder<GroupRow> {
  return sql<GroupRow>`
    with grouped as (
      select grouping(${columns}) as kind, ${columns}, count(*) as events,
        count(*) filter (where verdict = 'blocked') as blocked,
        count(*) filter (where verdict = 'detected') as detected,
        count(*) filter (where verdict = 'error') as errors, max(time) as last_at
      from shield_events where ${where}
      group by grouping sets (${sql.join(KINDS.map((kind) => sql`(${sql.ref(kind)}${kind === 'route' ? sql`, policy` : sql``})`))}, ())
    ), named as (
      select kind, events, blocked, detected, errors, last_at, service_id, client_id,
        case when kind = ${maskOf('route')} then policy || ' ' || route
          else coalesce(engine, reason, policy, service_id::text, client_id::text, grouped.host, path, host(source_ip), subject, '')
        end as name
      from grouped
    ), placed as (
      select *, row_number() over (partition by kind order by events desc, name) as place from named
    )
    select placed.kind, placed.name, placed.events, placed.blocked, placed.detected, placed.errors, placed.last_at,
      coalesce(services.name, clients.name) as label
    from placed
    left join services on services.id = placed.service_id
    left join clients on clients.id = placed.client_id
    where place <= ${top} order by kind, place`;
}

const columns = sql.join(KINDS.map((kind) => sql.ref(kind)));

/**
 * The value of `grouping()` for rows of this kind: one bit per column that is not grouped by, the last column lowest.
 * Routes with the same prefix are distinguished by their policies.
 */
function maskOf(kind: Kind): number {
  const columnsOfKind = kind === 'route' ? (['route', 'policy'] as const) : [kind];
  return columnsOfKind.reduce((mask, column) => mask & ~(1 << (KINDS.length - 1 - KINDS.indexOf(column))), ALL);
}

/** Not grouped by any column. */
const ALL = (1 << KINDS.length) - 1;

function toGroup({ name, label, events, blocked, detected, errors, last_at }: GroupRow): ShieldEventGroup {
  const shown = name ?? '';
  return { name: shown, label: label ?? shown, events, blocked, detected, errors, last_at: last_at.toISOString() };
}
