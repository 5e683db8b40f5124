import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table service_tokens (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  kind text not null check (kind in ('discovery', 'zone')),
  name text not null default '',
  created_at timestamptz not null,
  created_by text not null,
  unique (project_id, kind, name)
);
select guard_project_table('service_tokens');

create trigger service_tokens_secrets after delete on service_tokens
  for each row execute function forget_secrets();
`);
