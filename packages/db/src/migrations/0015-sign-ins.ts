import { type Kysely, sql } from 'kysely';

/**
 * Second factors, passkeys, and sign-ins that wait for one.
 *
 * `last_step` is the newest 30-second step whose code was taken: a code of it or of an older one is refused. Backup codes
 * and challenges are kept as digests. `passkey_questions` are what browsers were asked to sign: of a user who adds a passkey, or of nobody
 * yet who signs in. A row of `otp_enforcement` without a project is the installation's; who signs in has
 * to know of all projects of their own.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table otp_enrolments (
      user_id uuid primary key references users on delete cascade,
      sealed_secret bytea not null,
      confirmed_at timestamptz,
      last_step bigint not null default 0,
      created_at timestamptz not null
    );
    create table backup_codes (
      user_id uuid not null references users on delete cascade,
      hash bytea not null,
      used_at timestamptz,
      primary key (user_id, hash)
    );
    create table otp_enforcement (
      project_id uuid unique nulls not distinct references projects on delete cascade,
      enforced boolean not null,
      updated_at timestamptz not null
    );
    select guard_project_table('otp_enforcement');
    create policy of_own_projects on otp_enforcement for select
      using ((select scope_user()) is not null and (project_id is null
        or project_id in (select m.project_id from memberships m where m.user_id = (select scope_user()))));
    create table sign_in_challenges (
      id_hash bytea primary key,
      user_id uuid not null references users on delete cascade,
      primary_kind text not null,
      sealed_set_up bytea,
      attempts integer not null default 0,
      created_at timestamptz not null,
      expires_at timestamptz not null
    );
    create index sign_in_challenges_by_user on sign_in_challenges (user_id);
    create index sign_in_challenges_by_expiry on sign_in_challenges (expires_at);
    create table passkeys (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      credential_id bytea not null unique,
      public_key bytea not null,
      sign_count bigint not null,
      transports text[] not null,
      name text not null,
      backed_up boolean not null,
      created_at timestamptz not null,
      last_used_at timestamptz
    );
    create index passkeys_by_user on passkeys (user_id);
    create table passkey_questions (
      hash bytea primary key,
      user_id uuid references users on delete cascade,
      expires_at timestamptz not null
    );
    create index passkey_questions_by_expiry on passkey_questions (expires_at);
    create index passkey_questions_by_user on passkey_questions (user_id);
  `.execute(db);
}
