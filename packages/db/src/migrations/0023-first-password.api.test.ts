import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { up } from './0023-first-password.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('what was asked of whom stays asked, and nobody has to change a password for it', async () => {
  const { owner, db } = database;
  // As the migrations before it leave things.
  await sql`
    drop policy sign_in_of_own_projects on settings;
    alter table users drop column must_change_password;
    alter table sessions drop column primary_kind;
    create table otp_enforcement (
      project_id uuid unique nulls not distinct references projects on delete cascade,
      enforced boolean not null,
      updated_at timestamptz not null
    );
    select guard_project_table('otp_enforcement');
    insert into users (id, username, password_hash, password_changed_at, created_at, updated_at)
      values (gen_random_uuid(), 'old-hand', 'x', now(), now(), now());
    insert into projects (id, name, created_at, updated_at)
      select gen_random_uuid(), name, now(), now() from unnest(array['asks', 'does-not', 'never-said']) as name;
    insert into otp_enforcement select id, name = 'asks', now() from projects where name in ('asks', 'does-not');
    insert into otp_enforcement values (null, true, now());
  `.execute(owner);
  // A migration knows no tables: theirs are of another time.
  await up(owner as unknown as Kysely<unknown>);
  const documents = await db
    .selectFrom('settings')
    .leftJoin('projects', 'projects.id', 'settings.project_id')
    .select(['projects.name', 'settings.key', 'settings.value', 'settings.revision'])
    .orderBy('projects.name')
    .execute();
  expect(documents).toEqual([
    { name: 'asks', key: 'otp', value: { otp_enforced: true }, revision: 1 },
    { name: 'does-not', key: 'otp', value: { otp_enforced: false }, revision: 1 },
    { name: null, key: 'sign_in', value: { otp_enforced: true }, revision: 1 },
  ]);
  expect(await db.selectFrom('setting_revisions').select('revision').execute()).toHaveLength(3);
  const users = await db.selectFrom('users').select(['username', 'must_change_password']).execute();
  expect(users).toContainEqual({ username: 'old-hand', must_change_password: false });
});
