import type { Db, Tx } from '@flotilla/db';

export async function findProjectName(db: Db, projectId: string): Promise<string> {
  const { name } = await db.selectFrom('projects').select('name').where('id', '=', projectId).executeTakeFirstOrThrow();
  return name;
}

export async function findProfile(db: Db, userId: string) {
  return db
    .selectFrom('users')
    .select(['username', 'email', 'is_owner', 'must_change_password', 'password_changed_at', 'created_at'])
    .where('id', '=', userId)
    .executeTakeFirst();
}

export async function setPassword(
  tx: Tx,
  userId: string,
  { passwordHash, now }: { readonly passwordHash: string; readonly now: Date },
): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({
      password_hash: passwordHash,
      password_changed_at: now,
      must_change_password: false,
      updated_at: now,
      revision: eb('revision', '+', 1),
    }))
    .where('id', '=', userId)
    .execute();
}

export async function setEmail(
  tx: Tx,
  userId: string,
  { email, now }: { readonly email: string | null; readonly now: Date },
): Promise<void> {
  await tx
    .updateTable('users')
    .set((eb) => ({ email, updated_at: now, revision: eb('revision', '+', 1) }))
    .where('id', '=', userId)
    .execute();
}
