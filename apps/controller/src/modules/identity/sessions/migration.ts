import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table sessions (
  id uuid primary key,
  user_id uuid not null references users on delete cascade,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  end_reason text,
  ip text,
  user_agent text,
  kind text not null check (kind in ('bearer', 'browser')),
  device text not null,
  factors text[] not null default '{}',
  last_used_at timestamptz,
  last_ip text,
  refresh_hash bytea unique,
  refresh_sealed bytea,
  primary_kind text
);
create index sessions_user on sessions (user_id) where ended_at is null;
select guard_sealed_column('sessions', 'refresh_sealed');

create table spent_refresh_tokens (
  hash bytea primary key,
  session_id uuid not null references sessions on delete cascade,
  spent_at timestamptz not null
);
create index spent_refresh_tokens_session on spent_refresh_tokens (session_id);

create table sign_in_attempts (
  key text primary key,
  failures int not null,
  last_at timestamptz not null,
  blocked_until timestamptz not null,
  account text
);
create index sign_in_attempts_last on sign_in_attempts (last_at);
create index sign_in_attempts_account on sign_in_attempts (account);

create table signing_keys (
  kid text primary key,
  sealed_secret bytea not null,
  created_at timestamptz not null,
  verifies_until timestamptz
);
create unique index signing_keys_current on signing_keys ((true)) where verifies_until is null;
select guard_sealed_column('signing_keys', 'sealed_secret');

create function announce_sessions_ended() returns trigger language plpgsql as $$
begin
  perform announce_changes(jsonb_agg(jsonb_build_object('topic', 'session', 'project', null, 'user_id', changes.user_id)))
    from changes join (select id, ended_at from previous) before using (id)
    where changes.ended_at is distinct from before.ended_at
    having count(*) > 0;
  return null;
end
$$;

create trigger sessions_announced after update on sessions referencing old table as previous new table as changes
  for each statement execute function announce_sessions_ended();
`);
