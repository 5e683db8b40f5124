import { createHash } from 'node:crypto';
import { toErrorMessage } from '@flotilla/kit';
import { sql } from 'kysely';
import { type MigrationProvider, Migrator } from 'kysely/migration';
import type { Db } from './database.ts';
import type { SqlMigration } from './define-migration.ts';
import { migrations } from './migrations/all.ts';
import { createAppRole, grantToAppRole } from './roles.ts';

/** By name: a number of four digits, then words. They run in the order of their names. */
export type Migrations = Readonly<Record<string, SqlMigration>>;

function withFeatures(ofFeatures: Migrations): Record<string, SqlMigration> {
  const twice = Object.keys(ofFeatures).find((name) => Object.hasOwn(migrations, name));
  if (twice !== undefined) throw new Error(`migration ${twice} is declared twice`);
  return { ...migrations, ...ofFeatures };
}

/**
 * Migrates the schema to the latest state, forward only and in one transaction, so that a failure or a kill leaves it
 * unchanged. Several controllers may call it at once: the migrator holds a database lock. Runs as the owner of the
 * tables; grants rights to the application's role and to `member`, an optional login of the application. Returns the
 * names of the migrations that ran.
 */
export async function migrateToLatest(
  db: Db,
  { member, ofFeatures = {} }: { readonly member?: string | undefined; readonly ofFeatures?: Migrations } = {},
): Promise<string[]> {
  await createAppRole(db);
  // Features number their migrations independently, so a lower number may arrive after a higher one has run.
  const provider: MigrationProvider = { getMigrations: () => Promise.resolve(withFeatures(ofFeatures)) };
  const migrator = new Migrator({ db, provider, allowUnorderedMigrations: true });
  const { error, results } = await migrator.migrateToLatest();
  if (error) {
    const failed = results?.find(({ status }) => status === 'Error')?.migrationName ?? 'the first step';
    const message = `could not migrate the database schema, which is unchanged: ${failed}: ${toErrorMessage(error)}`;
    throw new Error(message, { cause: error });
  }
  await grantToAppRole(db, member);
  return (results ?? []).map(({ migrationName }) => migrationName);
}

/**
 * The migrations that ran in this database, and those that are pending; all of them for a new one. Throws if another
 * version has migrated it, because its tables are unknown here.
 */
export async function compareMigrations(
  db: Db,
  ofFeatures: Migrations = {},
): Promise<{ readonly ran: string[]; readonly pending: string[] }> {
  const ran = await listRun(db);
  const own = listMigrations(ofFeatures);
  const unknown = ran.filter((name) => !own.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `another version of Flotilla has migrated the database: this version does not have the migrations ${unknown.join(', ')}. Start that version again, or restore the copy from before the upgrade`,
    );
  return { ran, pending: own.filter((name) => !ran.includes(name)) };
}

async function listRun(db: Db): Promise<string[]> {
  const { rows: tables } = await sql<{ exists: boolean }>`
    select to_regclass('kysely_migration') is not null as exists`.execute(db);
  if (!tables[0]?.exists) return [];
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db);
  return rows.map(({ name }) => name);
}

/** All migrations in order. */
export function listMigrations(ofFeatures: Migrations = {}): string[] {
  return Object.keys(withFeatures(ofFeatures)).toSorted();
}

/** Twelve hex digits that change with any change to any migration. */
export function digestMigrations(ofFeatures: Migrations = {}): string {
  const hash = createHash('sha256');
  for (const [name, { text }] of Object.entries(withFeatures(ofFeatures))) hash.update(name).update(text);
  return hash.digest('hex').slice(0, 12);
}
