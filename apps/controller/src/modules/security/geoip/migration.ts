import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table geoip_databases (
  kind text not null check (kind in ('city', 'asn')),
  upload_id uuid primary key,
  size bigint not null,
  sha256 text not null,
  database_type text not null,
  built_at timestamptz not null,
  source text not null,
  uploaded_at timestamptz not null,
  uploaded_by text not null,
  project_id uuid references projects on delete cascade,
  unique nulls not distinct (project_id, kind)
);
select guard_project_table('geoip_databases');

create table geoip_chunks (
  upload_id uuid,
  part int,
  data bytea storage external not null,
  begun_at timestamptz not null,
  project_id uuid references projects on delete cascade,
  primary key (upload_id, part)
);
create index geoip_chunks_project on geoip_chunks (project_id) where project_id is not null;
select guard_project_table('geoip_chunks');
`);
