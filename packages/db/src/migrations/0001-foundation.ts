import { type Kysely, sql } from 'kysely';

/** Identity, sessions, audit and what every write needs: idempotency keys and the outbox. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create extension if not exists pg_trgm;

    create table users (
      id uuid primary key,
      username text not null,
      email text,
      -- Owners of the installation may do everything in every project; everybody else follows memberships.
      is_owner boolean not null default false,
      active boolean not null default true,
      password_hash text not null,
      password_changed_at timestamptz not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      revision bigint not null default 1
    );
    create unique index users_username on users (lower(username));

    create table projects (
      id uuid primary key,
      name text not null,
      description text,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      revision bigint not null default 1
    );
    create unique index projects_name on projects (lower(name));

    create table memberships (
      project_id uuid not null references projects on delete cascade,
      user_id uuid not null references users on delete cascade,
      role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
      created_at timestamptz not null,
      primary key (project_id, user_id)
    );
    create index memberships_user on memberships (user_id);

    create table sessions (
      id uuid primary key,
      user_id uuid not null references users on delete cascade,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      ended_at timestamptz,
      end_reason text,
      ip text,
      user_agent text
    );
    create index sessions_user on sessions (user_id) where ended_at is null;

    create table api_tokens (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      name text not null,
      role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
      prefix text not null,
      token_hash bytea not null unique,
      created_by uuid references users on delete set null,
      created_at timestamptz not null,
      expires_at timestamptz,
      last_used_at timestamptz,
      unique (project_id, name)
    );

    -- Failed sign-ins, by account and address and by account alone; the key is a digest.
    create table sign_in_attempts (
      key text primary key,
      failures integer not null,
      last_at timestamptz not null,
      blocked_until timestamptz not null
    );
    create index sign_in_attempts_last on sign_in_attempts (last_at);

    create table audit_log (
      id uuid primary key,
      at timestamptz not null,
      actor_kind text not null,
      actor_id text,
      actor_name text,
      actor_role text,
      project_id uuid,
      action text not null,
      resource_type text,
      resource_id text,
      resource_name text,
      outcome text not null check (outcome in ('done', 'denied', 'failed')),
      status integer not null,
      error_code text,
      method text,
      path text,
      client_ip text,
      user_agent text,
      request_id text,
      changes jsonb
    );
    create index audit_log_project_at on audit_log (project_id, at desc, id desc);
    create index audit_log_at on audit_log (at desc, id desc);

    create table idempotency_keys (
      actor text not null,
      key text not null,
      route text not null,
      body_digest bytea not null,
      -- Sealed with the keyring: an answer may hold what is shown only once.
      answer bytea not null,
      created_at timestamptz not null,
      primary key (actor, key)
    );
    create index idempotency_keys_created on idempotency_keys (created_at);

    -- Changes for the other roles and controllers; read by cursor after a NOTIFY on channel 'outbox'.
    create table outbox (
      seq bigint generated always as identity primary key,
      topic text not null,
      payload jsonb not null,
      at timestamptz not null
    );

    -- Values of the installation itself: keys wrapped by the master key, one row each.
    create table installation (
      name text primary key,
      value jsonb not null,
      updated_at timestamptz not null
    );
  `.execute(db);
}
