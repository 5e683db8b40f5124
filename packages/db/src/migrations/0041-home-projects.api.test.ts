import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { up } from './0041-home-projects.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

it('accounts that exist belong to the project that they joined first, or to the installation (attack 9)', async () => {
  const { owner } = database;
  // As the migrations before it leave things.
  await sql`
    drop trigger memberships_close_invitations on memberships;
    drop function close_invitations;
    drop table invitations;
    alter table users drop column home_project;
    insert into projects (id, name, created_at, updated_at)
      select gen_random_uuid(), name, now(), now() from unnest(array['alpha', 'beta']) as name;
    insert into users (id, username, is_owner, password_hash, password_changed_at, created_at, updated_at)
      select gen_random_uuid(), name, name = 'boss', 'x', now(), now(), now()
      from unnest(array['sole', 'both', 'same-time', 'none', 'boss', 'listed']) as name;
    insert into external_identities (issuer, subject, user_id, realm, created_at, last_seen_at)
      select 'ldap', username, id, 'ldap', now(), now() from users where username = 'listed';
  `.execute(owner);
  const join = (username: string, project: string, at: string) =>
    sql`insert into memberships (project_id, user_id, role, created_at)
      select projects.id, users.id, 'viewer', ${at}::timestamptz from projects, users
      where projects.name = ${project} and users.username = ${username}`.execute(owner);
  await join('sole', 'beta', '2026-01-01');
  await join('both', 'alpha', '2026-02-01');
  await join('both', 'beta', '2026-01-01');
  for (const name of ['same-time', 'boss', 'listed']) await join(name, 'alpha', '2026-01-01');
  await join('same-time', 'beta', '2026-01-01');
  // A migration knows no tables: theirs are of another time.
  await up(owner as unknown as Kysely<unknown>);
  const { rows } = await sql<{ username: string; home: string | null; is_first: boolean }>`
    select username, projects.name as home, projects.id = (select min(id::text)::uuid from projects
      where name in ('alpha', 'beta')) as is_first
    from users left join projects on projects.id = home_project`.execute(owner);
  const homes = Object.fromEntries(rows.map(({ username, home }) => [username, home]));
  expect(homes).toMatchObject({ sole: 'beta', both: 'beta', none: null, boss: null, listed: null });
  // Of two memberships of one moment always the same one.
  expect(rows.find(({ username }) => username === 'same-time')?.is_first).toBe(true);
});
