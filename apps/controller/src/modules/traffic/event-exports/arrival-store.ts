import type { Db, Tx } from '@flotilla/db';
import type { BatchSpan } from '@flotilla/event-store';
import { sql } from 'kysely';

/** A batch that the event store has. */
export interface Arrival {
  readonly projectId: string;
  readonly span: BatchSpan;
}

/** One read of the store takes as many. */
const BATCHES_MAX = 200;

/**
 * Notes batches that the event store has, within the transaction that adds them to the catalogue: an agent gets its answer after both.
 * Projects without an export need nothing. Call it last in the transaction, because it locks the end of the stream of each project.
 */
export async function noteArrivals(tx: Tx, arrivals: readonly Arrival[]): Promise<void> {
  const byProject = Map.groupBy(
    arrivals.filter(({ span }) => span.events > 0),
    ({ projectId }) => projectId,
  );
  if (byProject.size === 0) return;
  const heads = await tx
    .selectFrom('event_export_heads')
    .select('project_id')
    .where('project_id', 'in', [...byProject.keys()])
    .orderBy('project_id')
    .execute();
  for (const { project_id: projectId } of heads) {
    const spans = (byProject.get(projectId) ?? []).map(({ span }) => span);
    for (let at = 0; at < spans.length; at += BATCHES_MAX) {
      await noteSpans(tx, projectId, spans.slice(at, at + BATCHES_MAX));
    }
  }
}

async function noteSpans(tx: Tx, projectId: string, spans: readonly BatchSpan[]): Promise<void> {
  const parts: RequestParts = {
    batches: spans.map(({ batch }) => batch),
    from: Math.min(...spans.map(({ fromMs }) => fromMs)),
    to: Math.max(...spans.map(({ toMs }) => toMs)),
  };
  const events = spans.reduce((sum, span) => sum + span.events, 0);
  await sql`select note_arrival(${projectId}, 'requests', ${events}, ${JSON.stringify(parts)}::jsonb)`.execute(tx);
}

export interface RequestParts {
  readonly batches: readonly string[];
  readonly from: number;
  readonly to: number;
}

export type ArrivalRow = {
  readonly position: number;
  readonly events: number;
  readonly total: number;
  readonly arrived_at: Date;
} & (
  | { readonly kind: 'requests'; readonly parts: RequestParts }
  | { readonly kind: 'findings'; readonly parts: { readonly ids: readonly string[] } }
);

/** The arrivals after a position, in their order. */
export async function listArrivals(
  db: Db,
  projectId: string,
  { after, limit }: { readonly after: number; readonly limit: number },
): Promise<readonly ArrivalRow[]> {
  const { rows } = await sql<ArrivalRow>`
    select position, kind, events, total, parts, arrived_at from event_arrivals
    where project_id = ${projectId} and position > ${after} order by position limit ${limit}`.execute(db);
  return rows;
}

/** The end of the stream, with a lock: what arrives later has a later position. Begins the stream if there is none. */
export async function lockHead(tx: Tx, projectId: string): Promise<{ position: number; total: number }> {
  return tx
    .insertInto('event_export_heads')
    .values({ project_id: projectId })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ project_id: projectId }))
    .returning(['position', 'total'])
    .executeTakeFirstOrThrow();
}

/** Ends the stream of a project whose last export was deleted. */
export async function dropUnusedHead(tx: Tx, projectId: string): Promise<void> {
  await lockHead(tx, projectId);
  const { numDeletedRows } = await tx
    .deleteFrom('event_export_heads')
    .where('project_id', '=', projectId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb.selectFrom('event_exports').select(sql`1`.as('one')).where('event_exports.project_id', '=', projectId),
        ),
      ),
    )
    .executeTakeFirst();
  if (numDeletedRows > 0n) await tx.deleteFrom('event_arrivals').where('project_id', '=', projectId).execute();
}

/** Begins the streams of restored exports. */
export async function ensureHeads(db: Db): Promise<void> {
  await sql`insert into event_export_heads (project_id)
    select distinct project_id from event_exports e
    where not exists (select from event_export_heads h where h.project_id = e.project_id)
    on conflict do nothing`.execute(db);
}

/** Deletes the arrivals that every export of their project has looked at. */
export async function forgetRead(db: Db): Promise<void> {
  await sql`
    with read as (select project_id, min(position) as position from event_exports group by project_id)
    delete from event_arrivals a using read where a.project_id = read.project_id and a.position <= read.position`.execute(
    db,
  );
}

/** The store keeps no events for longer by default. */
const KEPT_DAYS = 8;
/** About a week of a busy project. */
export const ARRIVALS_MAX = 1_000_000;

/** Deletes arrivals that are too old or too many, and counts their events as lost for exports that had not looked at them. */
export async function pruneArrivals(db: Db, now: Date, max = ARRIVALS_MAX): Promise<void> {
  await forgetRead(db);
  await sql`
    with ends as (
      select h.project_id, greatest(h.position - ${max}, coalesce((
        select max(a.position) from event_arrivals a where a.project_id = h.project_id
          and a.arrived_at < ${now}::timestamptz - make_interval(days => ${KEPT_DAYS})), 0)) as position
      from event_export_heads h
    ), gone as (
      select a.project_id, a.position, a.total, a.arrived_at from ends join event_arrivals a using (project_id, position)
    ), passed as (
      update event_exports e set lost_events = e.lost_events + gone.total - e.total, lost_at = gone.arrived_at,
        position = gone.position, total = gone.total, cursor = null
      from gone where gone.project_id = e.project_id and e.position < gone.position
    )
    delete from event_arrivals a using gone where a.project_id = gone.project_id and a.position <= gone.position`.execute(
    db,
  );
}
