import type { Db, Tx } from '@flotilla/db';

export interface NewSigningKey {
  readonly kid: string;
  readonly sealed_secret: Buffer;
  readonly created_at: Date;
}

export async function listSigningKeys(db: Db) {
  return db.selectFrom('signing_keys').selectAll().execute();
}

/** Keeps an existing key with the same name. */
export async function insertSigningKey(db: Db | Tx, key: NewSigningKey): Promise<void> {
  await db
    .insertInto('signing_keys')
    .values(key)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Deletes expired keys and ends the current ones at `until`. */
export async function endSigningKeys(
  tx: Tx,
  { now, until }: { readonly now: Date; readonly until: Date },
): Promise<void> {
  await tx.deleteFrom('signing_keys').where('verifies_until', '<', now).execute();
  await tx.updateTable('signing_keys').set({ verifies_until: until }).where('verifies_until', 'is', null).execute();
}
