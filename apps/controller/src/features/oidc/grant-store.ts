import type { Buffer } from 'node:buffer';
import type { Db, Tx } from '@flotilla/db';

/** One of a user, for the provider that they have signed in at last. */
export async function putGrant(
  db: Db,
  { userId, issuer, sealed }: { readonly userId: string; readonly issuer: string; readonly sealed: Buffer },
  now: Date,
): Promise<void> {
  await db
    .insertInto('provider_grants')
    .values({ user_id: userId, issuer, sealed_token: sealed, granted_at: now })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ issuer, sealed_token: sealed, granted_at: now }))
    .execute();
}

/** Of these users, by their ids. */
export async function findGrants(db: Db, issuer: string, userIds: readonly string[]): Promise<Map<string, Buffer>> {
  if (userIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('provider_grants')
    .select(['user_id', 'sealed_token'])
    .where('issuer', '=', issuer)
    .where('user_id', 'in', [...userIds])
    .execute();
  return new Map(rows.map(({ user_id, sealed_token }) => [user_id, sealed_token]));
}

/** Nothing where a sign-in has put another one there meanwhile. */
export async function replaceGrant(db: Db, userId: string, { before, after }: { before: Buffer; after: Buffer }) {
  await db
    .updateTable('provider_grants')
    .set({ sealed_token: after })
    .where('user_id', '=', userId)
    .where('sealed_token', '=', before)
    .execute();
}

export async function deleteGrant(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('provider_grants').where('user_id', '=', userId).execute();
}
