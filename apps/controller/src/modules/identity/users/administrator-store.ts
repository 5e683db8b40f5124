import { ADMINS } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';
import { takeLock } from '../../../platform/database/named-lock.ts';

/**
 * Projects (or only `projectId`) in which this user is the only administrator who can sign in; disabled users and those
 * removed from their directory do not count. Concurrent callers for the same project wait until the transaction ends,
 * so that of two administrators who demote each other, one is refused. Empty for a disabled user.
 */
export async function listAdministeredAlone(
  tx: Tx,
  userId: string,
  projectId?: string,
): Promise<{ id: string; name: string }[]> {
  const held = await tx
    .selectFrom('memberships')
    .select('project_id')
    .where('user_id', '=', userId)
    .where('role', 'in', [...ADMINS])
    .$if(projectId !== undefined, (query) => query.where('project_id', '=', projectId ?? ''))
    .orderBy('project_id')
    .execute();
  const ids = held.map((row) => row.project_id);
  // Locked one by one in a fixed order. `for update` on the project would block new members.
  for (const id of ids) await takeLock(tx, `administrators of ${id}`);
  const { rows } = await sql<{ id: string; name: string }>`
    select projects.id, projects.name from projects
    where projects.id = any(${ids}::uuid[])
      and exists (select 1 from users where id = ${userId} and active)
      and not exists (
        select 1 from memberships other join users on users.id = other.user_id and users.active
        where other.project_id = projects.id and other.user_id <> ${userId} and other.role = any(${[...ADMINS]})
          and not exists (
            select 1 from external_identities gone where gone.user_id = other.user_id and gone.gone_at is not null))
    order by projects.name`.execute(tx);
  return rows;
}
