import type { Tx } from '@flotilla/db';
import { sql } from 'kysely';

const BATCH = 500;
const EXPIRED = 'The acceptance has ended.';
const LEFT = 'The owner has no access any more.';

interface Ended {
  readonly count: number;
}

/** Accepted findings whose date has passed come back. Returns the number, at most one batch. */
export async function expireAcceptances(tx: Tx, now: Date): Promise<number> {
  const { rows } = await sql<Ended>`
    with due as (
      select id from inventory_findings where state = 'accepted' and accepted_until <= ${now}
      order by id limit ${BATCH} for update skip locked
    ), back as (
      update inventory_findings f set state = 'came_back', state_since = ${now}, state_by = null, reason = ${EXPIRED},
        accepted_until = null, revision = revision + 1
      from due where f.id = due.id returning f.id, f.project_id
    ), noted as (
      insert into inventory_finding_history (id, project_id, finding_id, at, kind, from_value, to_value, note)
      select time_uuid(), project_id, id, ${now}, 'state', 'accepted', 'came_back', ${EXPIRED} from back
    ), announced as (
      select announce_change(project_id, '{"topic":"finding"}') from (select distinct project_id from back) projects
    )
    select (select count(*) from back)::int as count, (select count(*) from announced) as announced`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Whether an active account `users` is a member of the project of `f` who may see its operation. */
export const mayOwn = sql<boolean>`exists (
  select from memberships m join users u on u.id = m.user_id join projects p on p.id = m.project_id
  where m.project_id = f.project_id and m.user_id = f.owner_id and u.active
    and (u.is_owner or m.role in ('owner', 'admin') or p.resource_access = 'open' or exists (
      select from unnest(f.services) s where may_reach(m.user_id, m.project_id, 'service', s, 'view'))))`;

/** Takes findings from owners who left the project, or who may not see the operation any more. Returns the number, at most one batch. */
export async function releaseOwners(tx: Tx, now: Date): Promise<number> {
  const { rows } = await sql<Ended>`
    with due as (
      select f.id, f.owner_id from inventory_findings f where f.owner_id is not null and not ${mayOwn}
      order by f.id limit ${BATCH} for update skip locked
    ), released as (
      update inventory_findings f set owner_id = null, revision = revision + 1
      from due where f.id = due.id returning f.id, f.project_id, due.owner_id
    ), noted as (
      insert into inventory_finding_history (id, project_id, finding_id, at, kind, from_value, note)
      select time_uuid(), project_id, id, ${now}, 'owner', (select username from users where users.id = released.owner_id), ${LEFT}
      from released
    ), announced as (
      select announce_change(project_id, '{"topic":"finding"}') from (select distinct project_id from released) projects
    )
    select (select count(*) from released)::int as count, (select count(*) from announced) as announced`.execute(tx);
  return rows[0]?.count ?? 0;
}
