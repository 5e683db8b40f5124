import type { Db, Tx } from '@flotilla/db';
import { takeLock } from '../../../platform/database/named-lock.ts';

export interface KeyRow {
  readonly id: string;
  readonly sealed_key: Buffer;
  readonly created_at: Date;
  readonly retired_at: Date | null;
}

/** The current key first, then the newest retired ones. */
export function listKeys(db: Db, project: string): Promise<KeyRow[]> {
  return db
    .selectFrom('collector_keys')
    .select(['id', 'sealed_key', 'created_at', 'retired_at'])
    .where('project_id', '=', project)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

/** Waits for other controllers that create a key of the project. False: the project does not exist. */
export async function lockKeys(tx: Tx, project: string): Promise<boolean> {
  await takeLock(tx, `collector_keys/${project}`);
  const row = await tx.selectFrom('projects').select('id').where('id', '=', project).executeTakeFirst();
  return row !== undefined;
}

/** Retires the current key and puts the new one in its place. */
export async function placeKey(
  tx: Tx,
  key: { id: string; project: string; sealed: Buffer; at: Date; retiredUntil: Date },
): Promise<void> {
  await tx
    .updateTable('collector_keys')
    .set({ retired_at: key.at, retired_until: key.retiredUntil })
    .where('project_id', '=', key.project)
    .where('retired_at', 'is', null)
    .execute();
  await tx
    .insertInto('collector_keys')
    .values({
      id: key.id,
      project_id: key.project,
      sealed_key: key.sealed,
      created_at: key.at,
      retired_at: null,
      retired_until: null,
    })
    .execute();
}

/** Deletes keys whose events are gone. */
export async function forgetRetiredKeys(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('collector_keys').where('retired_until', '<', now).execute();
}
