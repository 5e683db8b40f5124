import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table policies (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  description text,
  text text not null,
  files jsonb not null default '[]'::jsonb,
  digest text not null,
  revision bigint not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  unique (project_id, name)
);
select guard_project_table('policies');
select list_rows('policies', 'policy');

create table policy_revisions (
  policy_id uuid references policies on delete cascade,
  revision bigint,
  description text,
  text text not null,
  files jsonb not null,
  digest text not null,
  created_at timestamptz not null,
  created_by text not null,
  primary key (policy_id, revision)
);
select guard_child_table('policy_revisions', 'policies', 'policy_id');
select hold_parts('policy_revisions', 'policy', 'policy_id');

create function announce_policies() returns trigger language plpgsql as $$
begin
  perform announce_changes(jsonb_agg(jsonb_build_object('topic', 'policy', 'project', project_id, 'name', name)))
    from changes having count(*) > 0;
  return null;
end
$$;

create trigger files_sealed before insert or update of files on policies
  for each row when (new.files @? '$[*]."sealed_base64"'::jsonpath)
  execute function hold_keys_of_files();
create trigger policies_announced after update on policies referencing new table as changes
  for each statement execute function announce_policies();
create trigger policies_announced_deleted after delete on policies referencing old table as changes
  for each statement execute function announce_policies();
create trigger policies_announced_new after insert on policies referencing new table as changes
  for each statement execute function announce_policies();
create trigger files_sealed before insert or update of files on policy_revisions
  for each row when (new.files @? '$[*]."sealed_base64"'::jsonpath)
  execute function hold_keys_of_files();
`);
