import { type Kysely, sql } from 'kysely';

/**
 * An account has a home: the project that created it, or the installation (null). Authority over the account belongs to its
 * home alone. Accounts that exist belong to the project that they joined first, since others joined them to theirs
 * later; accounts of directories, owners of the installation and accounts without a project belong to the installation.
 *
 * People of other homes join a project by an invitation. `user_id` is the account that the invitation was for when it was
 * made, null if there was none. It has no foreign key: a lock on the account's row, or a row that disappears with the account,
 * would tell the project which names exist. Whoever becomes a member, or stops being one, has no open
 * invitation to the project afterwards.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table users add column home_project uuid references projects on delete set null;
    create index users_home on users (home_project) where home_project is not null;

    do $$
    declare scope text := coalesce(current_setting('flotilla.scope', true), '');
    begin
      perform set_config('flotilla.scope', 'everything', true);
      update users set home_project = (
          select project_id from memberships where user_id = users.id order by created_at, project_id limit 1)
        where not is_owner and not exists (select from external_identities where user_id = users.id);
      perform set_config('flotilla.scope', scope, true);
    end $$;

    create table invitations (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      username text not null,
      user_id uuid,
      role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
      invited_by uuid not null references users on delete cascade,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      declined_at timestamptz
    );
    create unique index invitations_name on invitations (project_id, lower(username));
    create index invitations_account on invitations (user_id) where user_id is not null;
    create index invitations_inviter on invitations (invited_by);
    create index invitations_expiry on invitations (expires_at);
    select guard_project_table('invitations');
    create trigger held before insert or update or delete on invitations for each row
      when (scope_maker() is not null and pg_trigger_depth() = 0) execute function hold_always('invitation');
    -- Not of updates: a project is not told that somebody has declined.
    create trigger invitations_told after insert or delete on invitations
      for each row execute function tell_row('user');

    create function close_invitations() returns trigger language plpgsql as $$
    declare
      member memberships := case when tg_op = 'DELETE' then old else new end;
    begin
      delete from invitations where project_id = member.project_id and user_id = member.user_id;
      return null;
    end $$;
    create trigger memberships_close_invitations after insert or delete on memberships
      for each row execute function close_invitations();
  `.execute(db);
}
