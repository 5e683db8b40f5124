import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FEATURES } from '../../features.ts';
import { defineFeature, listTables } from '../../platform/features/index.ts';
import { createTestController, type TestController } from '../controller.ts';
import { findMisguarded, findReferencesAhead, findUndeclaredSecrets, findUndeclaredTables } from './guards.ts';

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t?.close());

describe('the manifests of the features', () => {
  it('declare every table of the database', async () => {
    expect(await findUndeclaredTables(t.database.owner, FEATURES)).toEqual([]);
  });

  it('say which tables row-level security guards, and why it does not guard the others', async () => {
    expect(await findMisguarded(t.database.owner, FEATURES)).toEqual([]);
    expect(listTables(FEATURES).filter(({ scope }) => scope === 'policies').length).toBeGreaterThanOrEqual(27);
  });

  it('declare every encrypted column, each of which holds its key', async () => {
    expect(await findUndeclaredSecrets(t.database.owner, FEATURES)).toEqual([]);
  });

  it('name columns that exist', async () => {
    for (const { table, encrypted = [], backup } of listTables(FEATURES)) {
      const rules = backup === true || 'none' in backup ? {} : backup;
      const columns = [
        ...encrypted.flatMap(({ column, primaryKey, needs = [] }) => [column, ...primaryKey, ...needs]),
        ...Object.keys({ ...rules.withoutSecrets, ...rules.restored }),
      ];
      if (columns.length > 0)
        await sql`select ${sql.join(columns.map((name) => sql.ref(name)))} from ${sql.table(table)}`.execute(
          t.database.owner,
        );
    }
  });

  it('are in an order in which backups can be restored', async () => {
    expect(await findReferencesAhead(t.database.owner, FEATURES)).toEqual([]);
    expect(await findReferencesAhead(t.database.owner, FEATURES.toReversed())).toContain('groups refers to projects');
  });

  it('declare every type of job that the controller can run', () => {
    const declared = FEATURES.flatMap(({ jobs = [] }) => jobs.map(({ type }) => type));
    expect(
      t.controller.jobs.types
        .all()
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(declared.toSorted());
  });

  it('declare every schedule that a new installation has', async () => {
    const schedules = await t.database.db.selectFrom('job_schedules').select(['type', 'name', 'cron']).execute();
    const declared = FEATURES.flatMap(({ jobs = [] }) =>
      jobs.flatMap(({ type, schedule }) => (schedule ? [{ type, ...schedule }] : [])),
    );
    expect(schedules).toHaveLength(declared.length);
    expect(schedules).toEqual(expect.arrayContaining(declared));
  });
});

describe('a table that no feature declares', () => {
  beforeAll(async () => {
    await sql`create table forgotten (id uuid primary key, secret_sealed bytea)`.execute(t.database.owner);
  });

  it('is found', async () => {
    expect(await findUndeclaredTables(t.database.owner, FEATURES)).toEqual(['forgotten is not declared']);
  });

  it('is found by its encrypted column', async () => {
    expect(await findUndeclaredSecrets(t.database.owner, FEATURES)).toEqual([
      'forgotten.secret_sealed is not declared',
      'forgotten.secret_sealed does not hold its key',
    ]);
  });
});

it('a table whose feature says that policies guard it, although they do not, is found', async () => {
  const careless = FEATURES.map((feature) =>
    feature.name === 'platform/events'
      ? defineFeature({ name: feature.name, tables: { outbox: { scope: 'policies', backup: true } } })
      : feature,
  );
  expect(await findMisguarded(t.database.owner, careless)).toEqual(['outbox is not there']);
});
