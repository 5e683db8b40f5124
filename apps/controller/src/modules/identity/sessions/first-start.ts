import type { Db } from '@flotilla/db';
import { createId, createSecret } from '@flotilla/kit';
import { createDefaultGroup } from '../groups/index.ts';
import { insertFirstRows, isMarked, markInstallation } from './first-start-store.ts';
import { hashPassword } from './passwords.ts';

export interface FirstOwner {
  readonly username: string;
  /** Shown to the person who started the controller; the database only stores its hash. */
  readonly password: string;
  readonly projectId: string;
}

const FIRST_OWNER_NAME = 'admin';
const FIRST_PROJECT_NAME = 'default';

export interface FirstStart {
  readonly now: Date;
  /** For automation, which keeps the password itself. */
  readonly givenPassword: string | undefined;
  /**
   * Stores a generated password. If it throws, the installation stays empty, and the next start generates another one.
   */
  keepPassword(password: string): Promise<void>;
}

/**
 * On an empty installation, creates the owner account, with a random password unless one is given, and a first project.
 * Otherwise returns undefined.
 */
export async function createFirstOwner(
  db: Db,
  { now, givenPassword, keepPassword }: FirstStart,
): Promise<FirstOwner | undefined> {
  // Returns early on every later start: hashing a password is the most expensive part.
  if (await isMarked(db)) return undefined;
  const password = givenPassword ?? createSecret(18);
  const passwordHash = await hashPassword(password);
  const userId = createId(now.getTime());
  return db.transaction().execute(async (tx) => {
    // If two controllers start on an empty database, only one creates the account.
    if (!(await markInstallation(tx, userId, now))) return undefined;
    const projectId = createId(now.getTime());
    const user = { id: userId, username: FIRST_OWNER_NAME, passwordHash };
    await insertFirstRows(tx, { user, project: { id: projectId, name: FIRST_PROJECT_NAME } }, now);
    await createDefaultGroup(tx, projectId, now);
    if (givenPassword === undefined) await keepPassword(password);
    return { username: FIRST_OWNER_NAME, password, projectId };
  });
}
