import type { ShieldEventFilter, ShieldEventGroup, ShieldEventSummary } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import { matchesFilter } from './views.ts';

/** Kinds of groups, by the column whose values tell them apart. */
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

/** Counts of a time, and the `top` largest groups of each kind. Two statements, whatever there is. */
export async function summarizeEvents(
  db: Db,
  projectId: string,
  { filter, span, top }: { filter: ShieldEventFilter; span: { readonly from: Date; readonly to: Date }; top: number },
): Promise<ShieldEventSummary> {
  const times = { from: span.from.toISOString(), to: span.to.toISOString() };
  const where = matchesFilter(projectId, { ...filter, ...times });
  const { rows } = await sql<GroupRow>`
    with chosen as (
      select engine, reason, policy, policy || ' ' || route as route, service_id::text, client_id::text, host, path,
        coalesce(host(source_ip), '') as source_ip, subject, verdict, time
      from shield_events where ${where}
    ), grouped as (
      select grouping(${columns}) as kind, coalesce(${columns}) as name, count(*) as events,
        count(*) filter (where verdict = 'blocked') as blocked,
        count(*) filter (where verdict = 'detected') as detected,
        count(*) filter (where verdict = 'error') as errors, max(time) as last_at
      from chosen group by grouping sets (${sql.join(KINDS.map((kind) => sql`(${sql.ref(kind)})`))}, ())
    ), placed as (
      select *, row_number() over (partition by kind order by events desc, name) as place from grouped
    )
    select placed.*, coalesce(services.name, clients.name) as label
    from placed
    left join services on placed.kind = ${maskOf('service_id')} and services.id::text = placed.name
    left join clients on placed.kind = ${maskOf('client_id')} and clients.id::text = placed.name
    where place <= ${top} order by kind, place`.execute(db);
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

const columns = sql.join(KINDS.map((kind) => sql.ref(kind)));

/** What `grouping()` says of a row that is grouped by this column alone: a bit for every other one, the last one lowest. */
function maskOf(kind: Kind): number {
  return ALL & ~(1 << (KINDS.length - 1 - KINDS.indexOf(kind)));
}

/** Grouped by nothing. */
const ALL = (1 << KINDS.length) - 1;

function toGroup({ name, label, events, blocked, detected, errors, last_at }: GroupRow): ShieldEventGroup {
  const shown = name ?? '';
  return { name: shown, label: label ?? shown, events, blocked, detected, errors, last_at: last_at.toISOString() };
}
