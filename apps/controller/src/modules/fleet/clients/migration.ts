import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create sequence fleet_generation;

create table clients (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  hostname text not null,
  os text not null,
  arch text not null,
  kernel text not null,
  agent_version text not null,
  provider text not null,
  metadata jsonb not null,
  bgp boolean not null default false,
  cores int not null,
  memory_bytes bigint not null,
  runtime_dir text not null,
  data_dir text not null,
  connected_to uuid,
  connection_epoch bigint not null default 0,
  connect_time timestamptz,
  connect_reason text,
  disconnect_time timestamptz,
  disconnect_reason text,
  last_seen timestamptz,
  desired_revision bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index clients_project on clients (project_id, name);
create index clients_connected on clients (connected_to) where connected_to is not null;
create index clients_like on clients using gin (lower(name) gin_trgm_ops);
create index clients_updated on clients (project_id, updated_at desc);
select guard_project_table('clients');
select list_rows('clients', 'client');

create table client_stats (
  client_id uuid primary key references clients on delete cascade,
  at timestamptz not null,
  load_percent float8 not null,
  memory_percent float8 not null,
  stats jsonb not null
);
select guard_child_table('client_stats', 'clients', 'client_id');

create function hold_client() returns trigger language plpgsql as $$
declare
  beside clients;
begin
  if tg_op = 'UPDATE' then
    beside := new;
    beside.desired_revision := old.desired_revision;
    if beside *= old then
      return new;
    end if;
  end if;
  perform require_maker('client', old.id);
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

create function announce_client() returns trigger language plpgsql as $$
begin
  perform announce_change(new.project_id, jsonb_build_object('topic', 'client', 'client_id', new.id, 'change', tg_argv[0]));
  return null;
end
$$;

create trigger clients_announced_connected after update on clients
  for each row when ((new.connected_to is not null) and (old.connection_epoch is distinct from new.connection_epoch))
  execute function announce_client('connected');
create trigger clients_announced_disconnected after update on clients
  for each row when ((old.connected_to is not null) and (new.connected_to is null))
  execute function announce_client('disconnected');
create trigger clients_announced_facts after update on clients
  for each row when (old.updated_at is distinct from new.updated_at)
  execute function announce_client('facts');
create trigger clients_announced_new after insert on clients for each row execute function announce_client('facts');
create trigger held before delete or update on clients
  for each row when (scope_maker() is not null and pg_trigger_depth() = 0)
  execute function hold_client();
`);
