import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { compareMigrations, listMigrations, migrateToLatest } from './migrate.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
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
      `^the database schema could not be brought up to date and is as it was: ${last}: .*(already exists|does not exist)`,
    ),
  );
  expect((await compareMigrations(owner)).pending).toEqual([last]);
  await sql`insert into kysely_migration (name, timestamp) values (${last}, '2026-11-22T00:00:00Z')`.execute(owner);
});

it('a database of a newer version is rejected with instructions', async () => {
  const { owner } = database;
  await sql`insert into kysely_migration (name, timestamp) values ('9999-later', '2126-11-22T00:00:00Z')`.execute(
    owner,
  );
  await expect(compareMigrations(owner)).rejects.toThrow(
    'the database is of a newer version: it has had the migrations 9999-later, which this one does not know. Start that version again, or restore what was copied before the upgrade',
  );
});
