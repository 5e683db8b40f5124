import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table token_secrets (
  id uuid primary key,
  hash bytea not null unique,
  token_kind text not null check (token_kind in ('api', 'enrolment', 'discovery', 'zone')),
  token_id uuid not null,
  project_id uuid not null references projects on delete cascade,
  issued_to uuid references users on delete set null,
  prefix text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  sealed_secret bytea,
  constraint token_secrets_sealed check ((token_kind = 'zone') = (sealed_secret is not null))
);
create index token_secrets_token on token_secrets (token_id);
create index token_secrets_issued_to on token_secrets (issued_to);
select guard_project_table('token_secrets');
select guard_sealed_column('token_secrets', 'sealed_secret');

create function forget_secrets() returns trigger language plpgsql as $$
begin
  delete from token_secrets where token_id = old.id;
  return null;
end
$$;

create trigger token_secrets_ended after delete on token_secrets
  for each row when (old.token_kind = 'api')
  execute function announce_row('api_token', 'token_id', 'token_id');
create trigger token_secrets_announced after insert or update on token_secrets
  for each row when (new.token_kind = 'api')
  execute function announce_row('api_token', 'token_id', 'token_id');
`);
