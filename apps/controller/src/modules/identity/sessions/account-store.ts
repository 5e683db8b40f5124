import type { Role } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { beganWithPasskey } from './session-store.ts';

export interface SessionUser {
  readonly id: string;
  readonly username: string;
  readonly email: string | null;
  readonly isOwner: boolean;
  readonly mustChangePassword: boolean;
}

/** Limit of the project list; owners of the installation may have more. */
const PROJECTS_MAX = 1000;

/** A user as seen by one of their sessions. */
export async function findSessionUser(db: Db, id: string, sessionId: string): Promise<SessionUser> {
  const row = await db.selectFrom('users').select(SESSION_USER_COLUMNS).where('id', '=', id).executeTakeFirstOrThrow();
  const user = toSessionUser(row);
  return { ...user, mustChangePassword: user.mustChangePassword && !(await beganWithPasskey(db, sessionId)) };
}

export const SESSION_USER_COLUMNS = ['id', 'username', 'email', 'is_owner', 'must_change_password'] as const;

export function toSessionUser(row: {
  id: string;
  username: string;
  email: string | null;
  is_owner: boolean;
  must_change_password: boolean;
}): SessionUser {
  const { id, username, email, is_owner: isOwner, must_change_password: mustChangePassword } = row;
  return { id, username, email, isOwner, mustChangePassword };
}

/** The user's projects with names and roles, ordered by name. Owners of the installation own every project. */
export async function listMemberships(
  db: Db,
  user: Pick<SessionUser, 'id' | 'isOwner'>,
): Promise<{ project: string; project_name: string; role: Role }[]> {
  if (user.isOwner) {
    const rows = await db.selectFrom('projects').select(['id', 'name']).orderBy('name').limit(PROJECTS_MAX).execute();
    return rows.map(({ id, name }) => ({ project: id, project_name: name, role: 'owner' }));
  }
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('projects', 'projects.id', 'memberships.project_id')
    .select(['projects.id', 'projects.name', 'memberships.role'])
    .where('memberships.user_id', '=', user.id)
    .orderBy('projects.name')
    .execute();
  return rows.map(({ id, name, role }) => ({ project: id, project_name: name, role }));
}

/** An account with its password hash, by its name in any case. */
export async function findAccountByName(db: Db, username: string) {
  return db
    .selectFrom('users')
    .select([...SESSION_USER_COLUMNS, 'active', 'password_hash'])
    .where((eb) => eb(eb.fn('lower', ['username']), '=', username.toLowerCase()))
    .executeTakeFirst();
}

export async function existsProject(db: Db, projectId: string): Promise<boolean> {
  const project = await db.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst();
  return project !== undefined;
}
