import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(`
create table cleaned_versions (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  version text not null,
  mode text not null check (mode in ('all', 'default-only', 'non-default-only')),
  counts jsonb not null,
  restore_point uuid,
  cleaned_at timestamptz not null,
  cleaned_by text not null,
  kept_until timestamptz not null
);
create index cleaned_versions_newest on cleaned_versions (project_id, cleaned_at desc);
create index cleaned_versions_over on cleaned_versions (kept_until);
select guard_project_table('cleaned_versions');

create table cleaned_documents (
  clean_up_id uuid not null references cleaned_versions on delete cascade,
  project_id uuid not null references projects on delete cascade,
  document_id uuid primary key,
  collection text not null,
  name text not null,
  content json not null,
  sealed bytea
);
create index cleaned_documents_of on cleaned_documents (clean_up_id, collection, name);
select guard_project_table('cleaned_documents');
select list_parts('cleaned_documents', 'document', 'document_id');
select guard_sealed_column('cleaned_documents', 'sealed');

create table cleaned_revisions (
  document_id uuid references cleaned_documents on delete cascade,
  project_id uuid not null references projects on delete cascade,
  revision bigint,
  content json not null,
  sealed bytea,
  primary key (document_id, revision)
);
select guard_project_table('cleaned_revisions');
select list_parts('cleaned_revisions', 'document', 'document_id');
select guard_sealed_column('cleaned_revisions', 'sealed');
`);
