import { type Kysely, sql } from 'kysely';

/** Sessions with a kind, a device and refresh tokens that rotate; signing keys. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table sessions
      add column kind text not null default 'bearer' check (kind in ('bearer', 'browser')),
      add column device text not null default '',
      add column factors text[] not null default '{}',
      add column last_used_at timestamptz,
      add column last_ip text,
      add column refresh_hash bytea unique,
      -- The token itself, for those who come with the one before it: see refresh-tokens.ts.
      add column refresh_sealed bytea;
    alter table sessions alter column kind drop default, alter column device drop default;

    -- Their refresh tokens were of another kind.
    update sessions set ended_at = now(), end_reason = 'upgraded' where ended_at is null;

    create table spent_refresh_tokens (
      hash bytea primary key,
      session_id uuid not null references sessions on delete cascade,
      spent_at timestamptz not null
    );
    create index spent_refresh_tokens_session on spent_refresh_tokens (session_id);

    -- The account that was tried, as a digest: what is forgotten when it is unlocked.
    alter table sign_in_attempts add column account text;
    create index sign_in_attempts_account on sign_in_attempts (account);

    create table signing_keys (
      kid text primary key,
      sealed_secret bytea not null,
      created_at timestamptz not null,
      -- Null for the one that signs.
      verifies_until timestamptz
    );
    create unique index signing_keys_current on signing_keys ((true)) where verifies_until is null;
  `.execute(db);
}
