import { type Kysely, sql } from 'kysely';

/**
 * Passwords that somebody else chose, to be changed at the first sign-in with them; those that are there are left as they
 * are. Whoever came with a passkey is not asked: a session knows what it began with.
 *
 * Who needs a second factor moves to the settings documents: of a project `otp`, of the installation `sign_in`. Who signs in
 * has to know of those of all projects of their own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users add column must_change_password boolean not null default false;
    -- What a session began with. Null: it began before this was kept.
    alter table sessions add column primary_kind text;

    do $$
    declare scope text := coalesce(current_setting('flotilla.scope', true), '');
    begin
      perform set_config('flotilla.scope', 'everything', true);
      insert into settings (id, project_id, key, value, revision, updated_at, updated_by)
        select gen_random_uuid(), project_id, case when project_id is null then 'sign_in' else 'otp' end,
          jsonb_build_object('otp_enforced', enforced), 1, updated_at, 'upgrade'
        from otp_enforcement;
      insert into setting_revisions (setting_id, project_id, revision, value, secrets, updated_at, updated_by)
        select id, project_id, revision, value, secrets, updated_at, updated_by from settings
        where key in ('sign_in', 'otp') and updated_by = 'upgrade';
      perform set_config('flotilla.scope', scope, true);
    end $$;
    drop table otp_enforcement;
    create policy sign_in_of_own_projects on settings for select
      using ((select scope_user()) is not null and key in ('sign_in', 'otp') and (project_id is null
        or project_id in (select m.project_id from memberships m where m.user_id = (select scope_user()))));
  `.execute(db);
}
