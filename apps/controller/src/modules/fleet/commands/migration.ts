import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table commands (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  client_id uuid not null,
  client_name text not null,
  service_id uuid,
  type text not null,
  sub_type text not null,
  operation text not null,
  fence bigint not null,
  generation bigint,
  payload jsonb not null,
  status text not null check (status in ('pending', 'sent', 'running', 'done', 'failed', 'refused', 'unknown')),
  error_code text,
  error_message text,
  result jsonb,
  step text,
  timeout_ms int not null,
  created_by text not null,
  created_at timestamptz not null,
  sent_at timestamptz,
  deadline_at timestamptz,
  finished_at timestamptz,
  kind text not null default 'action' check (kind in ('query', 'action', 'desired'))
);
create index commands_unfinished on commands
  (client_id, fence) where status in ('pending', 'sent', 'running');
create index commands_deadline on commands (deadline_at) where status in ('pending', 'sent', 'running');
create index commands_finished on commands (finished_at) where finished_at is not null;
create index commands_project on commands (project_id, created_at desc, id desc);
create index commands_open on commands (project_id) where status in ('pending', 'sent', 'running');
create index commands_client on commands (client_id, created_at desc, id desc);
create index commands_service on commands (service_id, created_at desc, id desc) where service_id is not null;
create index commands_done on commands (project_id, created_at desc, id desc) where kind <> 'query';
create index commands_asked on commands (project_id, created_at desc, id desc) where kind = 'query';
create index commands_answered on commands (finished_at) where (kind = 'query') and (finished_at is not null);
select guard_project_table('commands');
select list_mixed('commands', 'service_id is not null', 'service_id', 'client', 'client_id');
select hold_rows('commands', 'insert or update or delete',
  'case when part.service_id is not null then require_maker(''service'', part.service_id)
        else require_maker(''client'', part.client_id) end');

create function announce_commands() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    perform announce_changes(jsonb_agg(jsonb_build_object('topic', 'command', 'project', project_id, 'command_id', id,
      'client_id', client_id, 'service_id', service_id, 'status', status))) from changes where kind <> 'query' having count(*) > 0;
  else
    perform announce_changes(jsonb_agg(jsonb_build_object('topic', 'command', 'project', project_id, 'command_id', id,
        'client_id', client_id, 'service_id', service_id, 'status', changes.status)))
      from changes join (select id, status, step from previous) before using (id)
      where changes.kind <> 'query'
        and (changes.status is distinct from before.status or changes.step is distinct from before.step)
      having count(*) > 0;
  end if;
  return null;
end
$$;

create trigger commands_announced after update on commands referencing old table as previous new table as changes
  for each statement execute function announce_commands();
create trigger commands_announced_new after insert on commands referencing new table as changes
  for each statement execute function announce_commands();
`);

/** Payloads with secrets, such as passwords of BGP sessions, are encrypted. Those stored before are forgotten. */
export const sealedCommandsMigration = defineMigration(`
alter table commands add column payload_sealed bytea;
select guard_sealed_column('commands', 'payload_sealed');
update commands set payload = '{}' where type = 'ROUTING';
`);
