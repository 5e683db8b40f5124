import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table provider_grants (
  user_id uuid primary key references users on delete cascade,
  id uuid not null,
  issuer text not null,
  client_id text not null,
  sealed_token bytea not null,
  granted_at timestamptz not null,
  asked_at timestamptz
);
select guard_sealed_column('provider_grants', 'sealed_token');

create table spent_sign_ins (
  hash bytea primary key,
  expires_at timestamptz not null
);
create index spent_sign_ins_by_expiry on spent_sign_ins (expires_at);
`);
