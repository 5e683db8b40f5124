import { defineMigration } from '@flotilla/db';

/** A document without a current version has been deleted. Its row stays, so that numbers of versions are never used again. */
export const migration = defineMigration(`
create table api_documents (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  name text not null,
  name_key text collate "C" not null,
  last_number int not null,
  current_number int,
  listener_name text not null,
  host_prefixes text[],
  path_prefixes text[],
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by text not null,
  revision bigint not null,
  unique (project_id, name_key),
  unique (project_id, id)
);
select guard_project_table('api_documents');

create table api_document_versions (
  project_id uuid not null,
  document_id uuid,
  number int,
  format text not null check (format in ('openapi-3.0', 'openapi-3.1', 'swagger-2.0')),
  title text not null,
  document_version text not null,
  servers jsonb not null,
  key_query text[] not null,
  warnings jsonb not null,
  operation_count int not null,
  deprecated_count int not null,
  file bytea not null,
  sha256 text not null,
  imported_at timestamptz not null,
  imported_by text not null,
  primary key (document_id, number),
  foreign key (project_id, document_id) references api_documents (project_id, id) on delete cascade
);
create index api_document_versions_project on api_document_versions (project_id);
select guard_project_table('api_document_versions');

create table api_document_operations (
  project_id uuid not null,
  document_id uuid,
  number int,
  ordinal int,
  method text not null,
  path text not null,
  facts jsonb not null,
  primary key (document_id, number, ordinal),
  foreign key (document_id, number) references api_document_versions on delete cascade
);
create index api_document_operations_project on api_document_operations (project_id);
select guard_project_table('api_document_operations');
`);
