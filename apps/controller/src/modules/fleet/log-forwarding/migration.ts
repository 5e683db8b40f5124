import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
-- What a client should forward its logs with. sealed is null after a removal.
create table forwarder_configs (
  client_id uuid references clients on delete cascade,
  project_id uuid not null references projects on delete cascade,
  kind text check (kind in ('syslog', 'logshipper')),
  sealed bytea,
  revision bigint not null,
  updated_at timestamptz not null,
  updated_by text not null,
  primary key (client_id, kind)
);
select guard_project_table('forwarder_configs');
select guard_sealed_column('forwarder_configs', 'sealed');
select list_parts('forwarder_configs', 'client', 'client_id');
select hold_parts('forwarder_configs', 'client', 'client_id');
`);
