import type { Db } from '@flotilla/db';
import { createId, createSecret } from '@flotilla/kit';
import { insertDefaultGroup } from '../groups/index.ts';
import { hashPassword } from './passwords.ts';

export interface FirstOwner {
  readonly username: string;
  /** Shown once, to whoever started the controller; only its hash is kept. */
  readonly password: string;
  readonly projectId: string;
}

const FIRST_OWNER_NAME = 'admin';
const FIRST_PROJECT_NAME = 'default';

/** On an empty installation: the owner account with a random password, and a first project. Else undefined. */
export async function createFirstOwner(
  db: Db,
  now: Date,
  password: string = createSecret(18),
): Promise<FirstOwner | undefined> {
  const passwordHash = await hashPassword(password);
  return db.transaction().execute(async (tx) => {
    // Two controllers starting on an empty database: one makes the account.
    const marker = await tx
      .insertInto('installation')
      .values({ name: 'first_owner', value: JSON.stringify({ created: true }), updated_at: now })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .executeTakeFirst();
    if (marker.numInsertedOrUpdatedRows === 0n) return undefined;
    const userId = createId(now.getTime());
    const projectId = createId(now.getTime());
    await tx
      .insertInto('users')
      .values({
        id: userId,
        username: FIRST_OWNER_NAME,
        email: null,
        is_owner: true,
        password_hash: passwordHash,
        password_changed_at: now,
        created_at: now,
        updated_at: now,
      })
      .execute();
    await tx
      .insertInto('projects')
      .values({ id: projectId, name: FIRST_PROJECT_NAME, description: null, created_at: now, updated_at: now })
      .execute();
    await insertDefaultGroup(tx, projectId, now);
    return { username: FIRST_OWNER_NAME, password, projectId };
  });
}
