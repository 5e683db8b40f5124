import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { type StandingRow, toColumns, toStanding } from './advance-store.ts';
import { announceFindings, insertHistory, type NewEntry } from './history-store.ts';
import { moveTo } from './model/advance.ts';
import { readObserved } from './pass-store.ts';

const BATCH = 500;
/** Merges of merges; a longer chain, or a circle, is no target. */
const MERGES_MAX = 10;
const DELETED = 'The operation was deleted. Nothing shows that it is fixed.';

interface GoneRow extends StandingRow {
  /** The operation that has the requests of this one now. */
  readonly target_id: string | null;
  /** The finding of the target with the same flag. */
  readonly twin_id: string | null;
}

/**
 * Ends or moves findings whose operation is not in the catalogue any more: to the operation that it is part of, if there is one. Handles at most one batch, in
 * the order of operations, so that a sweep reads the findings once. Returns where the next batch begins; null: no others are left.
 */
export async function settleGone(
  tx: Tx,
  { projectId, after, now }: { readonly projectId: string; readonly after: string; readonly now: Date },
): Promise<{ readonly after: string | null }> {
  const rows = await lockGone(tx, projectId, after);
  const moving = rows.filter((row) => row.target_id !== null && row.twin_id === null);
  // Two findings may move to one place: one of them does, and the next batch merges the others into it.
  const first = [...new Map(moving.map((row) => [`${row.target_id} ${row.flag}`, row])).values()];
  const merged = rows.filter((row) => row.twin_id !== null);
  const ended = rows.filter((row) => row.target_id === null);
  const moved = await moveRows(tx, { projectId, rows: first, now });
  await mergeRows(tx, { projectId, rows: merged, now });
  await endRows(tx, { projectId, rows: [...ended, ...merged], now });
  const entries: NewEntry[] = [
    ...moved.map(({ id, operation_id, target_id }) => ({
      finding_id: id,
      kind: 'moved' as const,
      from: operation_id,
      to: target_id,
    })),
    ...merged.flatMap(({ id, twin_id, operation_id, target_id, state }) => [
      { finding_id: twin_id ?? id, kind: 'moved' as const, from: operation_id, to: target_id },
      {
        finding_id: id,
        kind: 'state' as const,
        from: state,
        to: 'operation_gone',
        note: `Continued as finding ${twin_id}.`,
      },
    ]),
    ...ended.map(({ id, state }) => ({
      finding_id: id,
      kind: 'state' as const,
      from: state,
      to: 'operation_gone',
      note: DELETED,
    })),
  ];
  await insertHistory(tx, { projectId, now, entries });
  if (entries.length > 0) await announceFindings(tx, projectId);
  return { after: findNext(rows, new Set([...moved, ...merged, ...ended].map(({ id }) => id))) };
}

/** Those that wait for another finding to move come first in the next batch. One whose target is gone by now waits for the next sweep. */
function findNext(rows: readonly GoneRow[], handled: ReadonlySet<string>): string | null {
  const ids = rows.map((row) => row.operation_id).sort();
  const waiting = handled.size === 0 ? [] : rows.filter(({ id }) => !handled.has(id));
  const [first] = waiting.map((row) => row.operation_id).sort();
  if (first !== undefined) return first;
  return rows.length < BATCH ? null : (ids.at(-1) ?? null);
}

async function lockGone(tx: Tx, projectId: string, after: string): Promise<GoneRow[]> {
  const { rows } = await sql<GoneRow>`
    with recursive gone as materialized (
      select f.id from inventory_findings f
      where f.project_id = ${projectId} and f.operation_id >= ${after} and f.state not in ('fixed', 'operation_gone') and not exists (
        select from inventory_operations o where o.project_id = f.project_id and o.id = f.operation_id)
      order by f.operation_id, f.id limit ${BATCH} for update skip locked
    ),
    steps (id, at, depth) as (
      select gone.id, m.target_id, 1 from gone
      join inventory_findings f on f.id = gone.id
      join inventory_merges m on m.project_id = f.project_id and m.operation_id = f.operation_id
      union all
      select steps.id, m.target_id, steps.depth + 1 from steps
      join inventory_merges m on m.project_id = ${projectId} and m.operation_id = steps.at
      where steps.depth < ${MERGES_MAX}
    ),
    targets as (
      select distinct on (steps.id) steps.id, steps.at from steps
      join inventory_operations o on o.project_id = ${projectId} and o.id = steps.at
      order by steps.id, steps.depth
    )
    select f.id, f.operation_id, f.flag, f.rank, f.services, f.state, f.state_since, f.last_seen, f.sightings, f.starts_at,
      f.starts_with, f.base, f.reset_at, f.widest_gap_s, targets.at as target_id, twin.id as twin_id
    from gone join inventory_findings f on f.id = gone.id
    left join targets on targets.id = f.id
    left join inventory_findings twin on twin.project_id = f.project_id and twin.operation_id = targets.at
      and twin.flag = f.flag
    order by f.id`.execute(tx);
  return rows;
}

interface Work {
  readonly projectId: string;
  readonly rows: readonly GoneRow[];
  readonly now: Date;
}

/** The finding goes on at the operation that has the requests now. Its evidence starts again. Returns those that moved: a target may be gone by now. */
async function moveRows(tx: Tx, { projectId, rows, now }: Work): Promise<readonly GoneRow[]> {
  if (rows.length === 0) return [];
  const observed = await readObserved(
    tx,
    projectId,
    rows.flatMap(({ target_id }) => target_id ?? []),
  );
  const moved = rows.flatMap((row) => {
    const target = observed.get(row.target_id ?? '');
    if (!target) return [];
    return [{ id: row.id, target_id: row.target_id, ...toColumns(moveTo(toStanding(row), target, now.getTime())) }];
  });
  await sql`
    update inventory_findings f set operation_id = o.id, method = o.method, host = o.host, path = o.path,
      operation = o.operation, services = o.services, starts_at = r.starts_at, starts_with = r.starts_with, base = r.base,
      reset_at = r.reset_at
    from jsonb_to_recordset(${JSON.stringify(moved)}::jsonb) as r(id uuid, target_id text, starts_at timestamptz,
      starts_with text, base bigint, reset_at timestamptz)
    join inventory_operations o on o.project_id = ${projectId} and o.id = r.target_id
    where f.id = r.id`.execute(tx);
  return rows.filter((row) => observed.has(row.target_id ?? ''));
}

/** The twin at the target gets what people decided, unless somebody decided about it. */
async function mergeRows(tx: Tx, { projectId, rows }: Work): Promise<void> {
  if (rows.length === 0) return;
  const pairs = rows.map(({ id, twin_id }) => ({ id, twin_id }));
  await sql`
    update inventory_findings twin set
      first_seen = least(twin.first_seen, lost.first_seen), sightings = twin.sightings + lost.sightings,
      owner_id = coalesce(twin.owner_id, lost.owner_id),
      state = case when takes then lost.state else twin.state end,
      state_since = case when takes then lost.state_since else twin.state_since end,
      state_by = case when takes then lost.state_by else twin.state_by end,
      reason = case when takes then lost.reason else twin.reason end,
      accepted_until = case when takes then lost.accepted_until else twin.accepted_until end,
      revision = twin.revision + 1
    from (
      select distinct on (p.twin_id) p.twin_id, f.*, t.state = 'new' and f.state in ('acknowledged', 'accepted', 'fix_claimed') as takes
      from jsonb_to_recordset(${JSON.stringify(pairs)}::jsonb) as p(id uuid, twin_id uuid)
      join inventory_findings f on f.id = p.id join inventory_findings t on t.id = p.twin_id
      order by p.twin_id, array_position(array['accepted', 'acknowledged', 'fix_claimed'], f.state) nulls last, f.id
    ) lost
    where twin.id = lost.twin_id and twin.project_id = ${projectId}`.execute(tx);
}

async function endRows(tx: Tx, { projectId, rows, now }: Work): Promise<void> {
  if (rows.length === 0) return;
  await sql`
    update inventory_findings set state = 'operation_gone', state_since = ${now}, state_by = null, reason = null,
      accepted_until = null, revision = revision + 1
    where project_id = ${projectId} and id = any(${rows.map(({ id }) => id)}::uuid[])`.execute(tx);
}
