import type { EventExportSelection, ShownEventExportTarget } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { sql } from 'kysely';
import type { DueChannel } from '../../../platform/outbound/index.ts';

/** How far an export has got. With a cursor, part of the arrival after `position` was looked at. */
export interface Place {
  readonly position: number;
  readonly cursor: string | null;
  readonly total: number;
}

/** An export that this controller may send to, until its lease ends. */
export interface ClaimedExport extends Place {
  readonly id: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly name: string;
  readonly target: ShownEventExportTarget;
  readonly selection: EventExportSelection;
  readonly sealed: Buffer | null;
  readonly failures: number;
  readonly revision: number;
}

const DUE_MAX = 500;
/** Later than any lease and any pause: a time beyond it is from a clock that was set back. */
const BEYOND = sql`clock_timestamp() + interval '20 minutes'`;
const IS_FREE = sql`(e.leased_until is null or e.leased_until < clock_timestamp() or e.leased_until > ${BEYOND})`;
const IS_DUE = sql`(e.retry_at is null or e.retry_at <= clock_timestamp() or e.retry_at > ${BEYOND})`;

/** Exports with arrivals that wait, none of which is being sent, in random order. */
export async function listDueExports(db: Db): Promise<DueChannel[]> {
  const { rows } = await sql<DueChannel>`
    select e.id, e.project_id as "projectId", e.failures > 0 as "isFailing" from event_exports e
    join event_export_heads h using (project_id)
    where e.enabled and h.position > e.position and ${IS_FREE} and ${IS_DUE}
    order by random() limit ${DUE_MAX}`.execute(db);
  return rows;
}

/** Undefined: another controller sends to it, or it is not due any more. Uses the clock of the database. */
export async function claimExport(
  db: Db,
  { id, holder, leaseMs }: { readonly id: string; readonly holder: string; readonly leaseMs: number },
): Promise<ClaimedExport | undefined> {
  const { rows } = await sql<ClaimedExport>`
    update event_exports e set holder = ${holder}, leased_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
    from projects p
    where e.id = ${id} and p.id = e.project_id and e.enabled and ${IS_FREE} and ${IS_DUE}
    returning e.id, e.project_id, p.name as project_name, e.name, e.target, e.selection, e.sealed, e.failures, e.revision,
      e.position, e.cursor, e.total`.execute(db);
  return rows[0];
}

export interface Move {
  readonly id: string;
  readonly holder: string;
  readonly leaseMs: number;
  readonly from: Place;
  readonly to: Place;
  readonly sent: number;
  readonly lost: number;
}

/**
 * Stores the place after a batch, and renews the lease. False: the export was changed or switched off, and the caller sends no more. So it
 * is if another controller has the lease, the export was deleted, or its arrivals were pruned meanwhile; then the place stays.
 */
export async function moveExport(
  db: Db,
  { id, holder, leaseMs, from, to, sent, lost, revision }: Move & { readonly revision: number },
): Promise<boolean> {
  const { rows } = await sql<{ goes_on: boolean }>`
    update event_exports set position = ${to.position}, cursor = ${to.cursor}, total = ${to.total},
      sent_events = sent_events + ${sent}, lost_events = lost_events + ${lost},
      lost_at = case when ${lost} > 0 then clock_timestamp() else lost_at end,
      delivered_at = case when ${sent} > 0 then clock_timestamp() else delivered_at end,
      failing_since = case when ${sent} > 0 then null else failing_since end,
      failures = case when ${sent} > 0 then 0 else failures end,
      last_error = case when ${sent} > 0 then null else last_error end,
      leased_until = clock_timestamp() + ${leaseMs} * interval '1 ms'
    where id = ${id} and holder = ${holder} and position = ${from.position}
      and cursor is not distinct from ${from.cursor}
    returning enabled and revision = ${revision} as goes_on`.execute(db);
  return rows[0]?.goes_on === true;
}

/** Records why nothing could be sent, and gives the export back. */
export async function failExport(
  db: Db,
  { id, holder, error, pauseMs }: { id: string; holder: string; error: string; pauseMs: number },
): Promise<void> {
  await sql`update event_exports set failing_since = coalesce(failing_since, clock_timestamp()), failures = failures + 1,
      last_error = ${error}, retry_at = clock_timestamp() + ${pauseMs} * interval '1 ms', holder = null, leased_until = null
    where id = ${id} and holder = ${holder}`.execute(db);
}

export async function releaseExport(db: Db, { id, holder }: { id: string; holder: string }): Promise<void> {
  await sql`update event_exports set holder = null, leased_until = null, retry_at = null
    where id = ${id} and holder = ${holder}`.execute(db);
}

/** Sums over all exports. */
export async function sumExports(db: Db): Promise<{ backlog: number; lost: number; failing: number }> {
  const { rows } = await sql<{ backlog: number; lost: number; failing: number }>`
    select coalesce(sum(h.total - e.total) filter (where e.enabled), 0)::float8 as backlog,
      coalesce(sum(e.lost_events), 0)::float8 as lost,
      count(*) filter (where e.enabled and e.failing_since is not null)::int as failing
    from event_exports e join event_export_heads h using (project_id)`.execute(db);
  return rows[0] ?? { backlog: 0, lost: 0, failing: 0 };
}
