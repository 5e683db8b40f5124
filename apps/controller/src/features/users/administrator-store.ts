import { ADMINS } from '@flotilla/contract';
import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';

/**
 * Projects that nobody who can sign in administers but this user: all of them, or only `projectId` where it is one. Neither
 * who is switched off can, nor who is gone from their directory. Whoever asks the same of a project waits until the transaction ends, so that of two administrators who take each other's role at
 * once one is told of it. Empty for a user who is switched off.
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
  // In one order for everybody, and one by one: `for update` on the project would keep others from being put into it.
  for (const id of ids)
    await sql`select pg_advisory_xact_lock(hashtextextended(${`administrators of ${id}`}, 0))`.execute(tx);
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
