import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table proxy_descriptors (
  version text primary key,
  sha256 text not null,
  arch text not null,
  source text not null,
  messages int not null,
  descriptors bytea storage external not null,
  prepared_at timestamptz not null,
  prepared_by text not null
);
create index jobs_preparing on jobs (resource_name, id) where type = 'version.prepare';
`);
