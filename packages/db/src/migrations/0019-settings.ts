import { type Kysely, sql } from 'kysely';

/**
 * Settings: one row for each document of the installation (project_id null) or of a project; `value` is without its
 * secrets, which lie sealed in `sealed`; `secrets` says which of them are set and since when. Sizes of tables over time.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table settings (
      id uuid primary key,
      project_id uuid references projects on delete cascade,
      key text not null,
      name text not null default '',
      value jsonb not null,
      secrets jsonb not null default '{}',
      sealed bytea,
      revision bigint not null default 0,
      updated_at timestamptz not null,
      updated_by text not null,
      unique nulls not distinct (project_id, key, name)
    );
    create table setting_revisions (
      setting_id uuid not null references settings on delete cascade,
      project_id uuid,
      revision bigint not null,
      value jsonb not null,
      secrets jsonb not null,
      updated_at timestamptz not null,
      updated_by text not null,
      primary key (setting_id, revision)
    );
    select guard_project_table('settings');
    select guard_project_table('setting_revisions');
    create table storage_samples (
      at timestamptz primary key,
      bytes bigint not null
    );
  `.execute(db);
}
