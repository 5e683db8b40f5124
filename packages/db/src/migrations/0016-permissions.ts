import { type Kysely, sql } from 'kysely';

/** Groups of a project's members, and one store for the secrets of tokens of every kind. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table groups (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      name text not null,
      description text,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      revision bigint not null default 1,
      unique (project_id, id)
    );
    create unique index groups_name on groups (project_id, lower(name));
    select guard_project_table('groups');

    -- Who leaves the project leaves its groups: nobody is in a group of a project without a membership there.
    create table group_members (
      project_id uuid not null,
      group_id uuid not null,
      user_id uuid not null,
      added_at timestamptz not null,
      primary key (group_id, user_id),
      foreign key (project_id, group_id) references groups (project_id, id) on delete cascade,
      foreign key (project_id, user_id) references memberships (project_id, user_id) on delete cascade
    );
    create index group_members_user on group_members (project_id, user_id);
    select guard_project_table('group_members');

    create trigger groups_told after insert or update or delete on groups
      for each row execute function tell_row('group', 'group_id', 'id');
    create trigger group_members_told after insert or delete on group_members
      for each row execute function tell_row('group', 'group_id', 'group_id');

    create table token_secrets (
      id uuid primary key,
      -- SHA-256. Secrets are random and long, so a plain digest tells nothing of them.
      hash bytea not null unique,
      token_kind text not null check (token_kind in ('api', 'enrolment')),
      token_id uuid not null,
      project_id uuid not null references projects on delete cascade,
      -- Of an API token: who was given this secret. It does what they may do, at most, and ends with them.
      issued_to uuid references users on delete set null,
      -- How the token begins, by which people tell theirs apart.
      prefix text not null,
      created_at timestamptz not null,
      -- Null: as long as its token.
      expires_at timestamptz
    );
    create index token_secrets_token on token_secrets (token_id);

    create index token_secrets_issued_to on token_secrets (issued_to);
    insert into token_secrets (id, hash, token_kind, token_id, project_id, issued_to, prefix, created_at)
      select gen_random_uuid(), token_hash, 'api', id, project_id, created_by, prefix, created_at from api_tokens
      union all
      select gen_random_uuid(), secret_hash, 'enrolment', id, project_id, null, '', created_at from enrolment_tokens;
    -- After the copy: it holds whoever migrates, too.
    select guard_project_table('token_secrets');
    alter table api_tokens drop column token_hash, drop column prefix,
      add column families text[], add column description text, add column last_used_ip text;
    alter table enrolment_tokens drop column secret_hash;

    drop trigger api_tokens_told on api_tokens;
    create trigger api_tokens_told after insert or delete or update of name, description, role, families, expires_at
      on api_tokens for each row execute function tell_row('api_token', 'token_id', 'id');

    -- A rotation changes nothing of the token itself, and ends streams that came with a secret that is over.
    create trigger token_secrets_told after insert or update on token_secrets
      for each row when (new.token_kind = 'api') execute function tell_row('api_token', 'token_id', 'token_id');
    create trigger token_secrets_ended after delete on token_secrets
      for each row when (old.token_kind = 'api') execute function tell_row('api_token', 'token_id', 'token_id');

    -- A token that goes, by whatever way, takes its secrets with it.
    create function forget_secrets() returns trigger language plpgsql as $$
    begin
      delete from token_secrets where token_id = old.id;
      return null;
    end $$;
    create trigger api_tokens_secrets after delete on api_tokens for each row execute function forget_secrets();
    create trigger enrolment_tokens_secrets after delete on enrolment_tokens
      for each row execute function forget_secrets();
  `.execute(db);
}
