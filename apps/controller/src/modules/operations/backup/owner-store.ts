import type { Tx } from '@flotilla/db';

/** Gives the owner of longest standing a password to sign in with; the installation makes no first owner of its own then. */
export async function giveFirstOwner(tx: Tx, passwordHash: string, now: Date): Promise<string | undefined> {
  const owner = await tx
    .selectFrom('users')
    .select(['id', 'username'])
    .where('is_owner', '=', true)
    .where('active', '=', true)
    .orderBy('created_at')
    .executeTakeFirst();
  if (!owner) return undefined;
  await tx
    .updateTable('users')
    .set({ password_hash: passwordHash, password_changed_at: now })
    .where('id', '=', owner.id)
    .execute();
  await tx
    .insertInto('installation')
    .values({ name: 'first_owner', value: JSON.stringify({ user_id: owner.id }), updated_at: now })
    .execute();
  return owner.username;
}
