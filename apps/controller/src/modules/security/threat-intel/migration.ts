import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table threat_intel (
  revision bigint not null default 0,
  updated_at timestamptz,
  updated_by text,
  project_id uuid references projects on delete cascade,
  unique nulls not distinct (project_id)
);
select guard_project_table('threat_intel');

create table threat_feeds (
  name text not null,
  enabled boolean not null,
  entry_count int not null,
  sha256 text not null,
  uploaded_at timestamptz not null,
  uploaded_by text not null,
  id uuid primary key,
  project_id uuid references projects on delete cascade,
  unique nulls not distinct (project_id, name)
);
select guard_project_table('threat_feeds');

create table threat_entries (
  network cidr,
  feed_id uuid references threat_feeds on delete cascade,
  primary key (feed_id, network)
);
create index threat_entries_network on threat_entries using gist (network inet_ops);
select guard_child_table('threat_entries', 'threat_feeds', 'feed_id');

insert into threat_intel default values;
`);
