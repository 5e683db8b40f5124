import { type InventoryRewrite, PATH_RULES_LISTED_MAX, type PathRenaming } from '@flotilla/contract';
import { type Db, deleteInBatches, type Tx } from '@flotilla/db';
import { sql } from 'kysely';

const DAY_MS = 86_400_000;
const KEPT_DAYS = 30;
const LISTED = 20;

export interface RewriteRun {
  readonly position: string;
  readonly scanned: number;
  readonly moved: number;
  readonly merged: number;
  readonly split: number;
  readonly renamings: readonly PathRenaming[];
}

interface Run {
  readonly jobId: string;
  readonly projectId: string;
  readonly applies: boolean;
}

/** Begins a run, or continues the one of the same job. */
export async function openRun(tx: Tx, { jobId, projectId, applies }: Run, now: Date): Promise<RewriteRun> {
  await sql`
    insert into inventory_rewrites (job_id, project_id, job_number, applies, started_at, position, scanned, moved, merged, split, renamings)
    select id, ${projectId}, number, ${applies}, ${now}, '', 0, 0, 0, 0, '[]' from jobs where id = ${jobId}
    on conflict (job_id) do nothing`.execute(tx);
  return tx
    .selectFrom('inventory_rewrites')
    .select(['position', 'scanned', 'moved', 'merged', 'split', 'renamings'])
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow();
}

/** Adds what was done since the last time, in the transaction that did it. */
export async function advanceRun(
  tx: Tx,
  jobId: string,
  { position, scanned, moved, merged, split, renamings }: RewriteRun,
): Promise<void> {
  const more = JSON.stringify(renamings);
  await sql`
    update inventory_rewrites set position = ${position}, scanned = scanned + ${scanned}, moved = moved + ${moved},
      merged = merged + ${merged}, split = split + ${split},
      renamings = case when jsonb_array_length(renamings) < ${PATH_RULES_LISTED_MAX} then renamings || ${more}::jsonb
        else renamings end
    where job_id = ${jobId}`.execute(tx);
}

export async function endRun(tx: Tx, jobId: string, now: Date): Promise<void> {
  await tx.updateTable('inventory_rewrites').set({ ended_at: now }).where('job_id', '=', jobId).execute();
}

export async function listRuns(db: Db, projectId: string): Promise<InventoryRewrite[]> {
  const rows = await db
    .selectFrom('inventory_rewrites')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('started_at', 'desc')
    .orderBy('job_id', 'desc')
    .limit(LISTED)
    .execute();
  return rows.map((row) => ({
    job: { id: row.job_id, number: row.job_number },
    applies: row.applies,
    started_at: row.started_at.toISOString(),
    ended_at: row.ended_at?.toISOString() ?? null,
    scanned: row.scanned,
    moved: row.moved,
    merged: row.merged,
    split: row.split,
    renamings: row.renamings.slice(0, PATH_RULES_LISTED_MAX),
  }));
}

/** When the last run of the project began. */
export async function findLastStart(db: Db, projectId: string): Promise<Date | undefined> {
  const row = await db
    .selectFrom('inventory_rewrites')
    .select(({ fn }) => fn.max('started_at').as('at'))
    .where('project_id', '=', projectId)
    .executeTakeFirst();
  return row?.at ?? undefined;
}

/** The operations with the most requests, as a preview names them again. */
export async function listBusiest(db: Db, projectId: string, limit: number) {
  return db
    .selectFrom('inventory_operations')
    .select(['id', 'method', 'host', 'path', 'operation', 'seen'])
    .where('project_id', '=', projectId)
    .where('is_other', '=', false)
    .orderBy('seen', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function forgetOldRewrites(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - KEPT_DAYS * DAY_MS);
  await deleteInBatches(db, 'inventory_rewrites', { isOld: sql<boolean>`started_at < ${before}`, batch: 1000 });
}
