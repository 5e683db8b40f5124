import { type Kysely, sql } from 'kysely';

/**
 * What was cleaned up after a retired proxy version, kept for a while so that it can be brought back: rows as they were, in
 * JSON, their sealed values beside them, where they are sealed anew with all others.
 *
 * And the restores of backups: each is a job; what it has written, it says here.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table cleaned_versions (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      version text not null,
      mode text not null check (mode in ('all', 'default-only', 'non-default-only')),
      -- Documents by collection.
      counts jsonb not null,
      -- The backup that was made before. It may be gone.
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
      -- The row, without what is sealed. JSON keeps the order in which somebody wrote the members of the resource.
      content json not null,
      sealed bytea
    );
    create index cleaned_documents_of on cleaned_documents (clean_up_id, collection, name);
    select guard_project_table('cleaned_documents');
    select list_parts('cleaned_documents', 'document', 'document_id');
    select guard_sealed_column('cleaned_documents', 'sealed');

    create table cleaned_revisions (
      document_id uuid not null references cleaned_documents on delete cascade,
      project_id uuid not null references projects on delete cascade,
      revision bigint not null,
      content json not null,
      sealed bytea,
      primary key (document_id, revision)
    );
    select guard_project_table('cleaned_revisions');
    select list_parts('cleaned_revisions', 'document', 'document_id');
    select guard_sealed_column('cleaned_revisions', 'sealed');

    create table restores (
      id uuid primary key,
      project_id uuid not null references projects on delete cascade,
      -- The backup and the job may be gone, and so may the restore point.
      backup_id uuid not null,
      job_id uuid,
      restore_point uuid,
      -- By which id each record was known in the backup, and by which it is here; null until it is done.
      restored jsonb,
      created_at timestamptz not null,
      created_by text not null,
      ended_at timestamptz
    );
    create index restores_newest on restores (project_id, created_at desc);
    select guard_project_table('restores');

    -- How trying the backup out has ended: read whole, opened with its pass phrase, and planned.
    alter table backups add column restore_test jsonb;
  `.execute(db);
}
