import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { FLAG_BITS } from '../inventory/index.ts';
import { FINDING_FLAGS } from './model/rules.ts';
import type { Observed } from './model/sighting.ts';

/** Requests may be reported late: a round looks back so far. The sweeps see what is later. */
const OVERLAP_MS = 10 * 60_000;
export const SWEEP_EVERY_MS = 15 * 60_000;
/** Operations of one transaction. */
export const PASS_CHUNK = 500;

const FLAGS = FLAG_BITS.toBits(FINDING_FLAGS);

/** A project of which operations have to be compared. */
export interface Round {
  readonly projectId: string;
  /** The last compared operation; empty at the start. */
  readonly after: string;
  readonly isSweep: boolean;
  readonly since: Date;
  readonly startedAt: Date;
}

/** The rounds that continue or begin, those that waited longest first. */
export async function listRounds(db: Db, now: Date): Promise<Round[]> {
  const { rows } = await sql<{
    project_id: string;
    after_id: string | null;
    is_sweep: boolean | null;
    since: Date | null;
    started_at: Date | null;
    compared_at: Date | null;
    swept_at: Date | null;
  }>`
    select i.project_id, p.after_id, p.is_sweep, p.since, p.started_at, p.compared_at, p.swept_at
    from inventory_projects i left join inventory_finding_passes p on p.project_id = i.project_id
    order by p.compared_at nulls first, i.project_id`.execute(db);
  return rows.map((row) => {
    if (row.after_id !== null && row.since && row.started_at)
      return {
        projectId: row.project_id,
        after: row.after_id,
        isSweep: row.is_sweep ?? true,
        since: row.since,
        startedAt: row.started_at,
      };
    // A clock that was set back must not stop the sweeps.
    const swept = row.swept_at === null ? Number.POSITIVE_INFINITY : Math.abs(now.getTime() - row.swept_at.getTime());
    const isSweep = swept >= SWEEP_EVERY_MS || row.started_at === null;
    const since = isSweep || row.started_at === null ? new Date(0) : new Date(row.started_at.getTime() - OVERLAP_MS);
    return { projectId: row.project_id, after: '', isSweep, since, startedAt: now };
  });
}

/** Remembers the progress of a round. `after` null: it has ended. */
export async function saveProgress(
  tx: Tx,
  { projectId, isSweep, since, startedAt }: Round,
  { after, now }: { readonly after: string | null; readonly now: Date },
): Promise<void> {
  const ended = after === null ? now : null;
  await sql`
    insert into inventory_finding_passes (project_id, after_id, is_sweep, since, started_at, compared_at, swept_at)
    select id, ${after}, ${isSweep}, ${since}, ${startedAt}, ${ended}::timestamptz, ${isSweep ? ended : null}::timestamptz
    from projects where id = ${projectId} for key share
    on conflict (project_id) do update set after_id = excluded.after_id, is_sweep = excluded.is_sweep, since = excluded.since,
      started_at = excluded.started_at,
      compared_at = coalesce(excluded.compared_at, inventory_finding_passes.compared_at),
      swept_at = coalesce(excluded.swept_at, inventory_finding_passes.swept_at)`.execute(tx);
}

/** An operation of the catalogue, with what findings need of its state. */
export interface SeenOperation {
  readonly id: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly operation: string;
  readonly services: readonly string[];
  readonly active_flags: number;
  readonly observed: Observed;
}

const OBSERVED = sql`jsonb_build_object(
  'lastMs', d.state -> 'lastMs', 'seen', d.state -> 'seen', 'blocked', d.state -> 'blocked', 'statuses', d.state -> 'statuses',
  'flags', d.state -> 'flags', 'schemes', d.state -> 'schemes', 'refusedMs', d.state -> 'refusedMs',
  'resetMs', d.state -> 'resetMs', 'scoresResetMs', d.state -> 'scoresResetMs')`;

/**
 * The next confirmed operations with an active flag or an open finding, in the order of their ids. The row that counts all operations beyond the limit is
 * none, and neither are those that only scanners asked for.
 */
export async function readOperations(tx: Tx, { projectId, after, since }: Round): Promise<SeenOperation[]> {
  const { rows } = await sql<SeenOperation>`
    select o.id, o.method, o.host, o.path, o.operation, o.services, o.active_flags, ${OBSERVED} as observed
    from inventory_operations o
    join inventory_details d on d.project_id = o.project_id and d.operation_id = o.id
    where o.project_id = ${projectId} and o.id > ${after} and o.confirmed and not o.is_other and o.last_seen >= ${since}
      and (o.active_flags & ${FLAGS}::bigint <> 0 or exists (select from inventory_findings f
        where f.project_id = o.project_id and f.operation_id = o.id and f.state not in ('fixed', 'operation_gone')))
    order by o.id limit ${PASS_CHUNK}`.execute(tx);
  return rows;
}

/** The states of those operations that exist and that the reader may see, by id. */
export async function readObserved(
  db: Db,
  projectId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Observed>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; observed: Observed }>`
    select o.id, ${OBSERVED} as observed from inventory_operations o
    join inventory_details d on d.project_id = o.project_id and d.operation_id = o.id
    where o.project_id = ${projectId} and o.id = any(${[...new Set(ids)]}::text[])`.execute(db);
  return new Map(rows.map(({ id, observed }) => [id, observed]));
}
