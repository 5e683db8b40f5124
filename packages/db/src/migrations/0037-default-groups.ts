import { type Kysely, sql } from 'kysely';

/**
 * The group that a project is born with: whoever becomes a member of the project is in it, by whatever way they come
 * (an admin, a group of a directory). They may be taken out of it again. Projects that are there already have none: what
 * their groups are given was never meant for members to come.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table groups add column is_default boolean not null default false;
    create unique index groups_default on groups (project_id) where is_default;

    create function join_default_group() returns trigger language plpgsql as $$
    begin
      insert into group_members (project_id, group_id, user_id, added_at)
        select new.project_id, g.id, new.user_id, new.created_at from groups g
        where g.project_id = new.project_id and g.is_default
        -- A group that is being deleted is waited for, and then takes nobody.
        for key share of g
        on conflict do nothing;
      return null;
    end $$;
    create trigger memberships_join_default after insert on memberships
      for each row execute function join_default_group();
  `.execute(db);
}
