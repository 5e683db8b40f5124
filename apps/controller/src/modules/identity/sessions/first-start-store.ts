import type { Db, Tx } from '@flotilla/db';

const MARKER = 'first_owner';

/** Whether the first owner was created before. */
export async function isMarked(db: Db): Promise<boolean> {
  const row = await db.selectFrom('installation').select('name').where('name', '=', MARKER).executeTakeFirst();
  return row !== undefined;
}

/** Returns false if another controller marked the installation first. */
export async function markInstallation(tx: Tx, userId: string, now: Date): Promise<boolean> {
  const marker = await tx
    .insertInto('installation')
    .values({ name: MARKER, value: JSON.stringify({ user_id: userId }), updated_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .executeTakeFirst();
  return marker.numInsertedOrUpdatedRows !== 0n;
}

interface FirstRows {
  readonly user: { readonly id: string; readonly username: string; readonly passwordHash: string };
  readonly project: { readonly id: string; readonly name: string };
}

export async function insertFirstRows(tx: Tx, { user, project }: FirstRows, now: Date): Promise<void> {
  await tx
    .insertInto('users')
    .values({
      id: user.id,
      username: user.username,
      email: null,
      is_owner: true,
      password_hash: user.passwordHash,
      password_changed_at: now,
      created_at: now,
      updated_at: now,
    })
    .execute();
  await tx
    .insertInto('projects')
    .values({ ...project, description: null, created_at: now, updated_at: now })
    .execute();
}
