import type { Db, Tx } from '@flotilla/db';
import { sql } from 'kysely';

/** Operations that people reset or deleted. */
export interface Resets {
  /** The number of the last reset. */
  readonly last: number;
  readonly operations: 'all' | readonly string[];
}

/** Collectors follow within half a minute, also those that are not running. The caller holds the lock of the project: so numbers are in the order of the commits. */
export async function noteReset(tx: Tx, projectId: string, operations: 'all' | readonly string[]): Promise<void> {
  if (operations.length === 0) return;
  const ids = operations === 'all' ? null : [...operations];
  await sql`
    insert into inventory_resets (project_id, operations, created_at)
    values (${projectId}, ${ids}::text[], now())`.execute(tx);
}

/** The resets after this number. Undefined: all that are still known. */
export async function findResets(db: Db, projectId: string, after = 0): Promise<Resets> {
  const rows = await db
    .selectFrom('inventory_resets')
    .select(['id', 'operations'])
    .where('project_id', '=', projectId)
    .where('id', '>', String(after))
    .orderBy('id')
    .execute();
  const operations = new Set<string>();
  for (const row of rows) {
    if (row.operations === null) return { last: Number(rows.at(-1)?.id), operations: 'all' };
    for (const id of row.operations) operations.add(id);
  }
  return { last: Number(rows.at(-1)?.id ?? after), operations: [...operations] };
}

/** A state that is older than this is not restored, so nobody needs older resets. */
const KEPT_DAYS = 8;
const DAY_MS = 86_400_000;

export async function forgetOldResets(db: Db, now: Date): Promise<void> {
  await db
    .deleteFrom('inventory_resets')
    .where('created_at', '<', new Date(now.getTime() - KEPT_DAYS * DAY_MS))
    .execute();
}
