import { createHash } from 'node:crypto';
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
 * Brings the schema to the newest state; forward only. Several controllers may call it at once: the migrator holds a
 * database lock. As the tables' owner; the application's role gets its rights to them, and so does `member`, a login of its
 * own for the application. Returns the names of what ran.
 */
export async function migrateToLatest(db: Db, member?: string): Promise<string[]> {
  await createAppRole(db);
  // Feature migrations were numbered side by side, so a lower number may arrive after a higher one has run.
  const migrator = new Migrator({ db, provider: new FixedMigrations(), allowUnorderedMigrations: true });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw new Error('the database schema could not be brought up to date', { cause: error });
  await grantToAppRole(db, member);
  return (results ?? []).map(({ migrationName }) => migrationName);
}

/** Of the newest schema, in their order. */
export function listMigrations(): string[] {
  return Object.keys(migrations);
}

/** Twelve hex digits that change with any change to any migration. */
export function digestMigrations(): string {
  const hash = createHash('sha256');
  for (const [name, migration] of Object.entries(migrations)) hash.update(name).update(String(migration.up));
  return hash.digest('hex').slice(0, 12);
}
