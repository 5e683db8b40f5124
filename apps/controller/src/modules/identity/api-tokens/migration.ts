import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table api_tokens (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  role text not null check (role in ('owner', 'admin', 'editor', 'viewer')),
  created_by uuid references users on delete set null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  families text[],
  description text,
  last_used_ip text,
  unique (project_id, name)
);
select guard_project_table('api_tokens');

create trigger api_tokens_secrets after delete on api_tokens for each row execute function forget_secrets();
create trigger api_tokens_announced after insert or delete or update of name, description, role, families, expires_at on api_tokens
  for each row execute function announce_row('api_token', 'token_id', 'id');
`);
