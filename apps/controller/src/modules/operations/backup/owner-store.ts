import type { Tx } from '@flotilla/db';

/** Sets the password of the oldest active owner and records that owner as the first, so that the controller creates no other. */
export async function setFirstOwnerPassword(tx: Tx, passwordHash: string, now: Date): Promise<string | undefined> {
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
