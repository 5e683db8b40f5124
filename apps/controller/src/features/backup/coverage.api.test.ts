import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BACKUP_SECTIONS, NOT_IN_BACKUPS } from './sections.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('every table is in backups, or is left out for a reason', async () => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
    database.owner,
  );
  const known = [...BACKUP_SECTIONS.map(({ table }) => table), ...Object.keys(NOT_IN_BACKUPS)];
  expect(rows.map(({ name }) => name).toSorted()).toEqual(known.toSorted());
  expect(new Set(known).size).toBe(known.length);
});

it('what rows refer to comes before them', async () => {
  const { rows } = await sql<{ child: string; parent: string }>`
    select conrelid::regclass::text as child, confrelid::regclass::text as parent
    from pg_constraint where contype = 'f' and conrelid <> confrelid`.execute(database.owner);
  const place = new Map(BACKUP_SECTIONS.map(({ table }, i) => [table, i]));
  const wrong = rows.filter(({ child, parent }) => {
    const [at, before] = [place.get(child), place.get(parent)];
    return at !== undefined && (before === undefined || before > at);
  });
  expect(rows.length).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});

it('every column of theirs that is sealed is opened for a backup and sealed anew', async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct tgrelid::regclass::text as name from pg_trigger
    where not tgisinternal and tgname like '%sealed' and pg_get_triggerdef(oid) ~ 'hold_key'`.execute(database.owner);
  const sealing = rows.map(({ name }) => name).filter((name) => !(name in NOT_IN_BACKUPS));
  const declared = BACKUP_SECTIONS.filter(({ sealed }) => sealed).map(({ table }) => table);
  expect(declared.toSorted()).toEqual(sealing.toSorted());
});
