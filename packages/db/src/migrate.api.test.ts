import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defineMigration } from './define-migration.ts';
import { compareMigrations, listMigrations, migrateToLatest } from './migrate.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({});
});
afterAll(() => database.close());

it('a current database has no pending migrations', async () => {
  const { owner } = database;
  expect(await compareMigrations(owner)).toEqual({ ran: listMigrations(), pending: [] });
  expect(await migrateToLatest(owner)).toEqual([]);
});

it('a failing migration is reported by name and reason, and changes nothing', async () => {
  const { owner } = database;
  const [last = ''] = listMigrations().slice(-1);
  // It has run: what it creates exists, and what it drops is gone.
  await sql`delete from kysely_migration where name = ${last}`.execute(owner);
  await expect(migrateToLatest(owner)).rejects.toThrow(
    new RegExp(
      `^could not migrate the database schema, which is unchanged: ${last}: .*(already exists|does not exist)`,
    ),
  );
  expect((await compareMigrations(owner)).pending).toEqual([last]);
  await sql`insert into kysely_migration (name, timestamp) values (${last}, '2026-11-22T00:00:00Z')`.execute(owner);
});

it('a database that another version has migrated is rejected with instructions', async () => {
  const { owner } = database;
  await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2126-11-22T00:00:00Z')`.execute(
    owner,
  );
  await expect(compareMigrations(owner)).rejects.toThrow(
    'another version of Flotilla has migrated the database: this version does not have the migrations 9999-later. Start that version again, or restore the copy from before the upgrade',
  );
});

it('a migration of a feature runs with the others, and its name must be its own', async () => {
  const own = await createTestDatabase({});
  try {
    const migration = defineMigration('create table of_a_feature (id uuid)');
    const ofFeatures = { '9999-of-a-feature': migration };
    expect((await compareMigrations(own.owner, ofFeatures)).pending).toEqual(['9999-of-a-feature']);
    expect(await migrateToLatest(own.owner, { ofFeatures })).toEqual(['9999-of-a-feature']);
    expect((await compareMigrations(own.owner, ofFeatures)).pending).toEqual([]);
    const [first = ''] = listMigrations();
    await expect(migrateToLatest(own.owner, { ofFeatures: { [first]: migration } })).rejects.toThrow(
      `${first} is declared twice`,
    );
  } finally {
    await own.close();
  }
});
