import { createHash } from 'node:crypto';
import { toErrorMessage } from '@flotilla/kit';
import { sql } from 'kysely';
import { type Migration, type MigrationProvider, Migrator } from 'kysely/migration';
import type { Db } from './database.ts';
import { migrations } from './migrations/all.ts';
import { createAppRole, grantToAppRole } from './roles.ts';

class FixedMigrations implements MigrationProvider {
  getMigrations(): Promise<Record<string, Migration>> {
    return Promise.resolve(migrations);
  }
}

/**
 * Migrates the schema to the latest state, forward only and in one transaction, so that a failure or a kill leaves it
 * unchanged. Several controllers may call it at once: the migrator holds a database lock. Runs as the owner of the
 * tables; grants rights to the application's role and to `member`, an optional login of the application. Returns the
 * names of the migrations that ran.
 */
export async function migrateToLatest(db: Db, member?: string): Promise<string[]> {
  await createAppRole(db);
  // Features number their migrations independently, so a lower number may arrive after a higher one has run.
  const migrator = new Migrator({ db, provider: new FixedMigrations(), allowUnorderedMigrations: true });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    const failed = results?.find(({ status }) => status === 'Error')?.migrationName ?? 'the first step';
    const message = `the database schema could not be brought up to date and is as it was: ${failed}: ${toErrorMessage(error)}`;
    throw new Error(message, { cause: error });
  }
  await grantToAppRole(db, member);
  return (results ?? []).map(({ migrationName }) => migrationName);
}

/**
 * The migrations that ran in this database, and those that are pending; all of them for a new one. Throws if a newer
 * version has migrated it, because its tables are unknown here.
 */
export async function compareMigrations(db: Db): Promise<{ readonly ran: string[]; readonly pending: string[] }> {
  const ran = await listRun(db);
  const unknown = ran.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length > 0)
    throw new Error(
      `the database is of a newer version: it has had the migrations ${unknown.join(', ')}, which this one does not know. Start that version again, or restore what was copied before the upgrade`,
    );
  return { ran, pending: listMigrations().filter((name) => !ran.includes(name)) };
}

async function listRun(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ is_there: boolean }>`
    select to_regclass('kysely_migration') is not null as is_there`.execute(db);
  if (!tables[0]?.is_there) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** All migrations in order. */
export function listMigrations(): string[] {
  return Object.keys(migrations);
}

/** Twelve hex digits that change with any change to any migration. */
export function digestMigrations(): string {
  const hash = createHash('sha256');
  for (const [name, migration] of Object.entries(migrations)) hash.update(name).update(String(migration.up));
  return hash.digest('hex').slice(0, 12);
}
