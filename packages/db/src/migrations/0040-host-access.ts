import { type Kysely, sql } from 'kysely';

/**
 * Whether the last writer of a document was allowed to use what reaches the host (owners of the project). It is checked again
 * when a node's resources are made.
 *
 * Documents that exist have only the name of their writer. The column is true where everybody of that name who could have
 * written them is an owner now; accounts and API tokens share these names. Everything else has to be saved by an owner again, if
 * it uses the host at all.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table documents add column host_access boolean not null default false;

    select set_config('flotilla.scope', 'everything', true);
    with writers as (select distinct project_id, updated_by as name from documents),
    -- What each account with a part in it may do in the project.
    people as (
      select p.id as project_id, u.id, u.username as name, u.active and (u.is_owner or coalesce(m.role = 'owner', false)) as is_owner
      from users u cross join (select distinct project_id as id from writers) p
      left join memberships m on m.project_id = p.id and m.user_id = u.id
      where u.is_owner or m.role is not null or u.username in (select name from writers)
    ),
    standing as (
      select project_id, name, is_owner from people
      union all
      -- A token does what whoever was given its secret may do, at most.
      select t.project_id, t.name, t.role = 'owner' and coalesce(t.expires_at > now(), true) and exists (
        select from token_secrets s join people on people.id = s.issued_to and people.project_id = t.project_id
        where s.token_kind = 'api' and s.token_id = t.id and people.is_owner)
      from api_tokens t
    ),
    owners as (select project_id, name from standing group by project_id, name having bool_and(is_owner))
    update documents set host_access = true from owners
      where documents.project_id = owners.project_id and documents.updated_by = owners.name;
    select set_config('flotilla.scope', '', true);
  `.execute(db);
}
