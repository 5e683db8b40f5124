import { failHa } from '@flotilla/contract';
import type { Db, Tables, Tx } from '@flotilla/db';
import { uniqueViolationOf } from '@flotilla/db';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Pair, PairConfig, Vacancy } from './model.ts';
import type { Rotation } from './tables.ts';

export type PairRow = Selectable<Tables['ha_pairs']>;

export interface Stamp {
  readonly at: Date;
  readonly by: string;
}

export async function insertPair(
  tx: Tx,
  pair: PairConfig & { id: string; projectId: string; sealedKeys: Buffer; vacancyPriority: number | null },
  { at, by }: Stamp,
): Promise<void> {
  await refuseSameName(() =>
    tx
      .insertInto('ha_pairs')
      .values({
        id: pair.id,
        project_id: pair.projectId,
        ...toColumns(pair),
        config_rev: 1,
        sealed_keys: pair.sealedKeys,
        rotation: null,
        rotation_rev: null,
        vacancy_since: pair.vacancyPriority === null ? null : at,
        vacancy_reason: null,
        vacancy_priority: pair.vacancyPriority,
        handover_until: null,
        created_at: at,
        updated_at: at,
        updated_by: by,
      })
      .execute(),
  );
}

/**
 * Locks the pair before its members, services and clients. Other transactions may still refer to it, so that a change of a
 * service need not wait.
 */
export async function lockPair(tx: Tx, key: { id: string; projectId: string }): Promise<PairRow | undefined> {
  return tx
    .selectFrom('ha_pairs')
    .selectAll()
    .where('id', '=', key.id)
    .where('project_id', '=', key.projectId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Writes the configuration with the next revision. */
export async function updatePair(tx: Tx, id: string, config: PairConfig, { at, by }: Stamp): Promise<void> {
  await refuseSameName(() =>
    tx
      .updateTable('ha_pairs')
      .set({ ...toColumns(config), ...raised(), updated_at: at, updated_by: by })
      .where('id', '=', id)
      .execute(),
  );
}

export async function fillVacancy(tx: Tx, id: string, { at, by }: Stamp): Promise<void> {
  await tx
    .updateTable('ha_pairs')
    .set({
      ...raised(),
      vacancy_since: null,
      vacancy_reason: null,
      vacancy_priority: null,
      updated_at: at,
      updated_by: by,
    })
    .where('id', '=', id)
    .execute();
}

export async function openVacancy(
  tx: Tx,
  id: string,
  { priority, reason }: { priority: number; reason: string },
  { at, by }: Stamp,
): Promise<void> {
  await tx
    .updateTable('ha_pairs')
    .set({
      ...raised(),
      vacancy_since: at,
      vacancy_reason: reason,
      vacancy_priority: priority,
      updated_at: at,
      updated_by: by,
    })
    .where('id', '=', id)
    .execute();
}

/** The keys of the step that begins with the current revision. */
export async function storeKeys(
  tx: Tx,
  id: string,
  { sealedKeys, rotation }: { sealedKeys: Buffer; rotation: Rotation | null },
): Promise<void> {
  await tx
    .updateTable('ha_pairs')
    .set({
      sealed_keys: sealedKeys,
      rotation,
      rotation_rev: rotation === null ? null : sql<number>`config_rev`,
    })
    .where('id', '=', id)
    .execute();
}

/** The members get the next revision. */
export async function raiseRevision(tx: Tx, id: string): Promise<void> {
  await tx.updateTable('ha_pairs').set(raised()).where('id', '=', id).execute();
}

export async function deletePair(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('ha_pairs').where('id', '=', id).execute();
}

/** Until then, a hand-over that was ordered may run. */
export async function noteHandover(db: Db, id: string, until: Date | null): Promise<void> {
  await db.updateTable('ha_pairs').set({ handover_until: until }).where('id', '=', id).execute();
}

export function toPair(row: PairRow, slots: readonly number[]): Pair {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    intervalMs: row.interval_ms,
    misses: row.misses,
    fenceTargets: row.fence_targets,
    nextHops: row.next_hops,
    preempt: row.preempt,
    configRev: row.config_rev,
    rotation: row.rotation,
    handoverUntil: row.handover_until,
    vacancy: findVacancy(row, slots),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
  };
}

function findVacancy(row: PairRow, slots: readonly number[]): Vacancy | undefined {
  if (slots.length === 2) return undefined;
  return {
    slot: slots.includes(0) ? 1 : 0,
    priority: row.vacancy_priority ?? 0,
    since: row.vacancy_since,
    reason: row.vacancy_reason,
  };
}

const raised = () => ({ config_rev: sql<number>`config_rev + 1` });

function toColumns(config: PairConfig) {
  return {
    name: config.name,
    interval_ms: config.intervalMs,
    misses: config.misses,
    fence_targets: [...config.fenceTargets],
    next_hops: [...config.nextHops],
    preempt: config.preempt,
  };
}

async function refuseSameName<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (uniqueViolationOf(error) === undefined) throw error;
    throw failHa('ha.exists', {}, { cause: error });
  }
}
