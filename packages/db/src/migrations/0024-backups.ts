import { type Kysely, sql } from 'kysely';

/**
 * Backups that are known here, of a project or (project_id null) of the whole installation. The file itself lies beside the
 * database, in the data folder of the controller that has written or taken it; `file` is a name without a folder.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table backups (
      id uuid primary key,
      project_id uuid references projects on delete cascade,
      origin text not null check (origin in ('made', 'scheduled', 'restore_point', 'uploaded')),
      status text not null check (status in ('making', 'ready', 'failed')),
      description text,
      secret_free boolean not null,
      -- What keeps the file from being read.
      protection text not null check (protection in ('passphrase', 'installation', 'none')),
      file text not null unique check (file ~ '^[0-9a-f-]{36}\\.flotbk$'),
      bytes bigint,
      -- SHA-256 of the whole file.
      sha256 text,
      header jsonb,
      sections jsonb,
      created_at timestamptz not null,
      created_by text not null,
      verified_at timestamptz
    );
    create index backups_newest on backups (project_id, created_at desc);
    select guard_project_table('backups');
  `.execute(db);
}
