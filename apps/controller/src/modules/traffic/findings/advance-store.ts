import type { FindingState } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import type { RiskFlag } from '@flotilla/inventory';
import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { FLAG_BITS } from '../inventory/index.ts';
import { announceFindings, insertHistory, type NewEntry } from './history-store.ts';
import { advance, open, type Standing } from './model/advance.ts';
import { FINDING_FLAGS, rankOf } from './model/rules.ts';
import { lastSighting } from './model/sighting.ts';
import type { SeenOperation } from './pass-store.ts';

export interface StandingRow {
  readonly id: string;
  readonly operation_id: string;
  readonly flag: RiskFlag;
  readonly rank: number;
  readonly services: readonly string[];
  readonly state: FindingState;
  readonly state_since: Date;
  readonly last_seen: Date;
  readonly sightings: number;
  readonly starts_at: Date;
  readonly starts_with: Standing['startsWith'];
  readonly base: number;
  readonly reset_at: Date;
  readonly widest_gap_s: number;
}

export const toStanding = (row: StandingRow): Standing => ({
  flag: row.flag,
  state: row.state,
  stateSinceMs: row.state_since.getTime(),
  lastSeenMs: row.last_seen.getTime(),
  sightings: row.sightings,
  startsMs: row.starts_at.getTime(),
  startsWith: row.starts_with,
  base: row.base,
  resetMs: row.reset_at.getTime(),
  widestGapS: row.widest_gap_s,
});

/** The columns that `Standing` sets. */
export const toColumns = (standing: Standing) => ({
  state: standing.state,
  state_since: new Date(standing.stateSinceMs).toISOString(),
  last_seen: new Date(standing.lastSeenMs).toISOString(),
  sightings: standing.sightings,
  starts_at: new Date(standing.startsMs).toISOString(),
  starts_with: standing.startsWith,
  base: standing.base,
  reset_at: new Date(standing.resetMs).toISOString(),
  widest_gap_s: standing.widestGapS,
});

interface Chunk {
  readonly projectId: string;
  readonly operations: readonly SeenOperation[];
  /** The number of findings for which the project has room. */
  readonly room: number;
  readonly now: Date;
}

/** Compares the findings of some operations with the catalogue. Returns the number of new findings. */
export async function advanceFindings(tx: Tx, { projectId, operations, room, now }: Chunk): Promise<number> {
  const { known, taken } = await lockFindings(tx, projectId, operations);
  const changed: ChangedRow[] = [];
  const fresh: NewRow[] = [];
  for (const operation of operations) {
    for (const row of known.get(operation.id) ?? []) {
      const change = advanceRow(row, operation, now);
      if (change) changed.push(change);
    }
    for (const flag of listActive(operation)) {
      if (fresh.length >= room || taken.has(keyOf(operation.id, flag))) continue;
      fresh.push({ id: createId(now.getTime()), operation, standing: open(flag, operation.observed, now.getTime()) });
    }
  }
  await writeChanged(tx, changed);
  const made = await insertFresh(tx, projectId, fresh);
  const entries = [
    ...changed.flatMap(({ entry }) => (entry === undefined ? [] : [entry])),
    ...made.map((id): NewEntry => ({ finding_id: id, kind: 'opened' })),
  ];
  await insertHistory(tx, { projectId, now, entries });
  if (entries.length > 0) await announceFindings(tx, projectId);
  return made.length;
}

const keyOf = (operationId: string, flag: string) => `${operationId} ${flag}`;

function listActive({ active_flags, observed }: SeenOperation): RiskFlag[] {
  const active = new Set(FLAG_BITS.toNames(active_flags));
  return FINDING_FLAGS.filter((flag) => active.has(flag) && lastSighting(observed, flag) > 0);
}

/**
 * Locks the findings of the operations, but not those that somebody changes at this moment: the next round compares them. `taken` has the keys of all,
 * also of those.
 */
async function lockFindings(tx: Tx, projectId: string, operations: readonly SeenOperation[]) {
  const ids = operations.map(({ id }) => id);
  const { rows: all } = await sql<{ operation_id: string; flag: string }>`
    select operation_id, flag from inventory_findings
    where project_id = ${projectId} and operation_id = any(${ids}::text[])`.execute(tx);
  const { rows } = await sql<StandingRow>`
    select id, operation_id, flag, rank, services, state, state_since, last_seen, sightings, starts_at, starts_with, base,
      reset_at, widest_gap_s
    from inventory_findings where project_id = ${projectId} and operation_id = any(${ids}::text[])
    order by id for update skip locked`.execute(tx);
  return {
    known: Map.groupBy(rows, (row) => row.operation_id),
    taken: new Set(all.map((row) => keyOf(row.operation_id, row.flag))),
  };
}

interface ChangedRow {
  readonly row: Record<string, unknown>;
  readonly entry: NewEntry | undefined;
}

function advanceRow(row: StandingRow, { observed, services }: SeenOperation, now: Date): ChangedRow | undefined {
  const before = toStanding(row);
  const moved = advance(before, observed, now.getTime());
  const rank = rankOf(row.flag);
  // A release may drop a flag, or change its severity.
  if (rank === -1) return undefined;
  const isSame = rank === row.rank && services.length === row.services.length;
  if (moved === undefined && isSame) return undefined;
  const next = moved?.next ?? before;
  const isDecided = next.state !== before.state;
  const entry: NewEntry | undefined = isDecided
    ? { finding_id: row.id, kind: 'state', from: before.state, to: next.state, note: moved?.note }
    : undefined;
  return {
    row: { id: row.id, rank, services, is_decided: isDecided, note: moved?.note ?? null, ...toColumns(next) },
    entry,
  };
}

async function writeChanged(tx: Tx, changed: readonly ChangedRow[]): Promise<void> {
  if (changed.length === 0) return;
  await sql`
    update inventory_findings f set rank = r.rank, services = r.services, last_seen = r.last_seen, sightings = r.sightings,
      starts_at = r.starts_at, starts_with = r.starts_with, base = r.base, reset_at = r.reset_at,
      widest_gap_s = r.widest_gap_s, state = r.state, state_since = r.state_since,
      state_by = case when r.is_decided then null else f.state_by end,
      reason = case when r.is_decided then r.note else f.reason end,
      accepted_until = case when r.is_decided then null else f.accepted_until end,
      revision = f.revision + r.is_decided::int
    from jsonb_to_recordset(${JSON.stringify(changed.map(({ row }) => row))}::jsonb) as r(id uuid, rank smallint,
      services uuid[], is_decided boolean, note text, state text, state_since timestamptz, last_seen timestamptz,
      sightings bigint, starts_at timestamptz, starts_with text, base bigint, reset_at timestamptz, widest_gap_s bigint)
    where f.id = r.id`.execute(tx);
}

interface NewRow {
  readonly id: string;
  readonly operation: SeenOperation;
  readonly standing: Standing;
}

/** Returns the ids of those that another pass has not made. */
async function insertFresh(tx: Tx, projectId: string, fresh: readonly NewRow[]): Promise<string[]> {
  if (fresh.length === 0) return [];
  const rows = fresh.map(
    ({ id, operation: { id: operation_id, method, host, path, operation, services }, standing }) => ({
      id,
      operation_id,
      flag: standing.flag,
      rank: rankOf(standing.flag),
      method,
      host,
      path,
      operation,
      services,
      ...toColumns(standing),
    }),
  );
  const { rows: made } = await sql<{ id: string }>`
    insert into inventory_findings (id, project_id, operation_id, flag, rank, method, host, path, operation, services,
      state, state_since, first_seen, last_seen, sightings, starts_at, starts_with, base, reset_at, widest_gap_s)
    select id, ${projectId}, operation_id, flag, rank, method, host, path, operation, services, state, state_since,
      last_seen, last_seen, sightings, starts_at, starts_with, base, reset_at, widest_gap_s
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(id uuid, operation_id text, flag text, rank smallint,
      method text, host text, path text, operation text, services uuid[], state text, state_since timestamptz,
      last_seen timestamptz, sightings bigint, starts_at timestamptz, starts_with text, base bigint,
      reset_at timestamptz, widest_gap_s bigint)
    on conflict (project_id, operation_id, flag) do nothing
    returning id`.execute(tx);
  return made.map(({ id }) => id);
}
