import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
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
`);
