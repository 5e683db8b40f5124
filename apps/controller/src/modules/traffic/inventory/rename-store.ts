import type { Db, Tx } from '@flotilla/db';
import {
  createOperationState,
  mergeStates,
  type OperationKey,
  type OperationState,
  toOperationId,
} from '@flotilla/inventory';
import { sql } from 'kysely';
import { noteMerges } from './merges-store.ts';
import { cleanKey } from './model/clean.ts';
import { isOtherKey, type OperationCounts } from './model/quota.ts';
import { toStored } from './model/row.ts';
import { announceInventory, lockProjects, readStates, storeCounts, writeOperations } from './operations-store.ts';

/** An operation that gets another path. */
export interface OperationRename {
  readonly id: string;
  readonly path: string;
}

export interface RenameOutcome {
  /** Operations that have another name now. */
  readonly moved: number;
  /** Those of them that are now part of an operation that existed, or that others moved to as well. */
  readonly merged: number;
}

interface Moved {
  readonly states: Map<string, OperationState>;
  readonly merges: { from: string; to: string }[];
  readonly targets: Set<string>;
  merged: number;
}

/**
 * Gives operations other paths: all of them or none. Counts of operations with one new name are added. Operations that do not exist any more
 * are left out, so a repeated call changes nothing. Waits for flushes of collectors, and they for it.
 */
export async function renameOperations(
  tx: Tx,
  projectId: string,
  { renames, now }: { readonly renames: readonly OperationRename[]; readonly now: Date },
): Promise<RenameOutcome> {
  const counts = (await lockProjects(tx, [projectId])).get(projectId);
  if (counts === undefined || renames.length === 0) return { moved: 0, merged: 0 };
  const sources = await readStates(
    tx,
    projectId,
    renames.map(({ id }) => id),
  );
  const keys = new Map<string, OperationKey>();
  for (const { id, path } of renames) {
    const state = sources.get(id);
    if (state !== undefined && !isOtherKey(state.key)) keys.set(id, { ...state.key, normalizedPath: path });
  }
  const moved = await moveStates(tx, { projectId, sources, keys, now });
  await deleteMoved(tx, projectId, moved.merges);
  const stored = [...moved.targets].flatMap((id) => {
    const state = moved.states.get(id);
    return state === undefined ? [] : [toStored({ projectId, id }, state, now.getTime())];
  });
  await writeOperations(tx, stored);
  await noteMerges(tx, projectId, { merges: moved.merges, now });
  await countAgain(tx, { projectId, counts, sources, moved });
  if (moved.merges.length > 0) await announceInventory(tx, projectId);
  return { moved: moved.merges.length, merged: moved.merged };
}

interface Move {
  readonly projectId: string;
  readonly sources: ReadonlyMap<string, OperationState>;
  readonly keys: ReadonlyMap<string, OperationKey>;
  readonly now: Date;
}

async function moveStates(
  tx: Tx,
  { projectId, sources, keys, now }: Move,
): Promise<Moved & { before: Moved['states'] }> {
  const targetOf = new Map([...keys].map(([id, key]) => [id, toOperationId(projectId, key)]));
  const before = await readStates(tx, projectId, [...new Set(targetOf.values())]);
  const moved = {
    states: new Map(before),
    merges: [] as Moved['merges'],
    targets: new Set<string>(),
    merged: 0,
    before,
  };
  for (const [id, target] of targetOf) {
    const [state, key] = [sources.get(id), keys.get(id)];
    // An operation that moves away itself is no place to move to. It is one the next time.
    if (state === undefined || key === undefined || target === id || targetOf.has(target)) continue;
    const into = moved.states.get(target);
    if (into !== undefined) moved.merged += 1;
    moved.states.set(target, mergeStates(into ?? createOperationState(cleanKey(key)), state, now.getTime()));
    moved.targets.add(target);
    moved.merges.push({ from: id, to: target });
  }
  return moved;
}

async function deleteMoved(tx: Tx, projectId: string, merges: Moved['merges']): Promise<void> {
  if (merges.length === 0) return;
  await sql`
    delete from inventory_operations
    where project_id = ${projectId} and id = any(${merges.map(({ from }) => from)}::text[])`.execute(tx);
}

interface Counted {
  readonly projectId: string;
  readonly counts: OperationCounts;
  readonly sources: ReadonlyMap<string, OperationState>;
  readonly moved: Moved & { readonly before: ReadonlyMap<string, OperationState> };
}

/** A move never needs more room than there was: each target has the place of one of its sources. */
async function countAgain(tx: Tx, { projectId, counts, sources, moved }: Counted): Promise<void> {
  const add = (state: OperationState | undefined, by: number) => {
    if (state !== undefined) counts[state.confirmed ? 'confirmed' : 'attack_surface'] += by;
  };
  for (const { from } of moved.merges) add(sources.get(from), -1);
  for (const id of moved.targets) {
    add(moved.before.get(id), -1);
    add(moved.states.get(id), 1);
  }
  await storeCounts(tx, projectId, counts);
}

/** An operation with what its name follows from. */
export interface NamedRow {
  readonly id: string;
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly seen: number;
  readonly services: readonly string[];
  readonly listeners: readonly string[];
  readonly isNamedByProtocol: boolean;
}

/** The next operations in the order of their ids, without the rows that count all others. */
export async function listNamed(
  tx: Tx,
  projectId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<NamedRow[]> {
  const { rows } = await sql<NamedRow>`
    select o.id, o.method, o.host, o.path, o.seen, o.services::text[] as services, o.listeners,
      o.operation <> '' or d.state ->> 'grpcService' <> '' or (o.method = 'CONNECT' and o.path = '/') as "isNamedByProtocol"
    from inventory_operations o
    join inventory_details d on d.project_id = o.project_id and d.operation_id = o.id
    where o.project_id = ${projectId} and o.id > ${after} and not o.is_other
    order by o.id limit ${limit}`.execute(tx);
  return rows;
}

export async function findExistingIds(db: Db, projectId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const rows = await db
    .selectFrom('inventory_operations')
    .select('id')
    .where('project_id', '=', projectId)
    .where('id', 'in', [...ids])
    .execute();
  return new Set(rows.map(({ id }) => id));
}

export async function countNamed(tx: Tx, projectId: string): Promise<number> {
  const { total } = await tx
    .selectFrom('inventory_operations')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('project_id', '=', projectId)
    .where('is_other', '=', false)
    .executeTakeFirstOrThrow();
  return Number(total);
}
