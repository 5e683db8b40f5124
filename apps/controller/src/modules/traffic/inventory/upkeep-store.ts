import { type Db, deleteInBatches } from '@flotilla/db';
import { sql } from 'kysely';
import { deleteRows } from './actions-store.ts';
import { toStored } from './model/row.ts';
import { lockProjects, readStates, writeOperations } from './operations-store.ts';

const DAY_MS = 86_400_000;
const BATCH = 5000;
const CHUNK = 250;
/** Probes that stopped make room for new ones. */
const ATTACK_SURFACE_KEPT_DAYS = 30;
const MARKS_KEPT_DAYS = 30;
const GAPS_KEPT_DAYS = 30;
const MERGES_KEPT_DAYS = 90;

/** Deletes what nobody asks for any more, and counts the operations of each project again. */
export async function forgetOldInventory(db: Db, now: Date): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * DAY_MS);
  const rounds = [
    { table: 'inventory_marks', isOld: sql<boolean>`seen_at < ${before(MARKS_KEPT_DAYS)}` },
    { table: 'inventory_gaps', isOld: sql<boolean>`minute < ${before(GAPS_KEPT_DAYS)}` },
    { table: 'inventory_merges', isOld: sql<boolean>`merged_at < ${before(MERGES_KEPT_DAYS)}` },
  ];
  for (const { table, isOld } of rounds) await deleteInBatches(db, table, { isOld, batch: BATCH });
  for (const projectId of await listProjects(db))
    await db.transaction().execute(async (tx) => {
      await lockProjects(tx, [projectId]);
      await deleteRows(tx, projectId, sql<boolean>`not confirmed and last_seen < ${before(ATTACK_SURFACE_KEPT_DAYS)}`);
      await sql`
        update inventory_projects p set
          confirmed = (select count(*) from inventory_operations o
            where o.project_id = p.project_id and o.confirmed and not o.is_other),
          attack_surface = (select count(*) from inventory_operations o
            where o.project_id = p.project_id and not o.confirmed and not o.is_other)
        where p.project_id = ${projectId}`.execute(tx);
    });
}

/** Derives again what is active of operations without traffic, whose flags expire on their own. */
export async function refreshActivity(db: Db, now: Date): Promise<void> {
  for (const projectId of await listProjects(db)) {
    let count = CHUNK;
    while (count >= CHUNK) count = await refreshSome(db, projectId, now);
  }
}

async function refreshSome(db: Db, projectId: string, now: Date): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await lockProjects(tx, [projectId]);
    const due = await tx
      .selectFrom('inventory_operations')
      .select('id')
      .where('project_id', '=', projectId)
      .where('active_until', '<', now)
      .limit(CHUNK)
      .execute();
    const states = await readStates(
      tx,
      projectId,
      due.map(({ id }) => id),
    );
    await writeOperations(
      tx,
      [...states].map(([id, state]) => toStored({ projectId, id }, state, now.getTime())),
    );
    return due.length;
  });
}

async function listProjects(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('inventory_projects').select('project_id').orderBy('project_id').execute();
  return rows.map((row) => row.project_id);
}
