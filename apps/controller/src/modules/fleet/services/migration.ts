import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table services (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  version text not null,
  bootstrap text not null,
  listeners text[] not null,
  policies text[] not null,
  shield_threads int not null,
  shield_xff_trusted_hops int not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  revision bigint not null default 1,
  unique (project_id, name)
);
create index services_like on services using gin (lower(name) gin_trgm_ops);
select guard_project_table('services');
select list_rows('services', 'service');

create table service_revisions (
  service_id uuid references services on delete cascade,
  revision bigint,
  at timestamptz not null,
  by_name text not null,
  document jsonb not null,
  primary key (service_id, revision)
);
select guard_child_table('service_revisions', 'services', 'service_id');
select hold_parts('service_revisions', 'service', 'service_id');

create table service_targets (
  service_id uuid references services on delete cascade,
  client_id uuid references clients,
  position int not null,
  addresses text[] not null,
  deployed boolean not null default false,
  run_state text not null default 'running' check (run_state in ('running', 'stopped')),
  generation bigint not null,
  envoy_version text,
  content_digest text,
  content_generation bigint,
  sealed_content bytea,
  primary key (service_id, client_id)
);
create index service_targets_client on service_targets (client_id);
select guard_child_table('service_targets', 'services', 'service_id');
select hold_parts('service_targets', 'service', 'service_id');
select guard_sealed_column('service_targets', 'sealed_content');

create table admin_ports (
  client_id uuid references clients on delete cascade,
  port int check (port >= 33100 and port <= 39999),
  service_id uuid not null,
  primary key (client_id, port),
  unique (client_id, service_id)
);
select guard_child_table('admin_ports', 'clients', 'client_id');
select hold_parts('admin_ports', 'service', 'service_id');
`);
