import { defineMigration } from '@flotilla/db';

export const migration = defineMigration(String.raw`
create table backups (
  id uuid primary key,
  project_id uuid references projects on delete cascade,
  origin text not null check (origin in ('made', 'scheduled', 'restore_point', 'uploaded')),
  status text not null check (status in ('making', 'ready', 'failed')),
  description text,
  secret_free boolean not null,
  protection text not null check (protection in ('passphrase', 'installation', 'none')),
  file text not null unique check (file ~ '^[0-9a-f-]{36}\.flotbk$'),
  bytes bigint,
  sha256 text,
  header jsonb,
  sections jsonb,
  created_at timestamptz not null,
  created_by text not null,
  verified_at timestamptz,
  restore_test jsonb
);
create index backups_newest on backups (project_id, created_at desc);
select guard_project_table('backups');

create table restores (
  id uuid primary key,
  project_id uuid not null references projects on delete cascade,
  backup_id uuid not null,
  job_id uuid,
  restore_point uuid,
  restored jsonb,
  created_at timestamptz not null,
  created_by text not null,
  ended_at timestamptz
);
create index restores_newest on restores (project_id, created_at desc);
select guard_project_table('restores');
`);
