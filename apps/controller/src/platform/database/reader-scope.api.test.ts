import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createControllerDatabase } from '../../testing/database.ts';

let database: TestDatabase;
const [project, reader, group] = [createId(), createId(), createId()];
const [given, byGroup, hidden] = [createId(), createId(), createId()];
const now = new Date();

const policyOf = (id: string, name: string) => ({
  id,
  project_id: project,
  name,
  description: null,
  text: '',
  files: '[]',
  digest: '',
  created_at: now,
  updated_at: now,
  updated_by: 'test',
});
const permission = (of: { user_id: string } | { group_id: string }, id: string | null, level: 'view' | 'change') => ({
  id: createId(),
  project_id: project,
  resource_kind: 'policy' as const,
  resource_id: id,
  user_id: null,
  group_id: null,
  ...of,
  level,
  granted_by: null,
  granted_at: now,
});

beforeAll(async () => {
  database = await createControllerDatabase();
  const { db } = database;
  const stamps = { created_at: now, updated_at: now };
  await db
    .insertInto('projects')
    .values({ id: project, name: 'listed', description: null, ...stamps })
    .execute();
  const user = { email: null, password_hash: 'x', password_changed_at: now };
  await db
    .insertInto('users')
    .values({ id: reader, username: 'reader', ...user, ...stamps })
    .execute();
  const membership = { project_id: project, user_id: reader, role: 'editor' as const, created_at: now };
  await db.insertInto('memberships').values(membership).execute();
  await db
    .insertInto('groups')
    .values({ id: group, project_id: project, name: 'g', description: null, ...stamps })
    .execute();
  await db
    .insertInto('group_members')
    .values({ project_id: project, group_id: group, user_id: reader, added_at: now })
    .execute();
  const rows = [policyOf(given, 'given'), policyOf(byGroup, 'by-group'), policyOf(hidden, 'hidden')];
  await db.insertInto('policies').values(rows).execute();
  const permissions = [
    permission({ user_id: reader }, given, 'view'),
    permission({ group_id: group }, byGroup, 'change'),
  ];
  await db.insertInto('permissions').values(permissions).execute();
});
afterAll(() => database.close());

const asReader = () => database.scoped({ kind: 'project', projectId: project, reader });
const asCreator = () => database.scoped({ kind: 'project', projectId: project, maker: reader });
const namesIn = async (db: ReturnType<typeof asReader>) =>
  (await db.selectFrom('policies').select('name').orderBy('name').execute()).map(({ name }) => name);

it('a reader sees what they or their groups were granted, whatever the query asks for', async () => {
  expect(await namesIn(asReader())).toEqual(['by-group', 'given']);
  const counted = await sql<{ n: number }>`select count(*)::int as n from policies`.execute(asReader());
  expect(counted.rows).toEqual([{ n: 2 }]);
  expect(await namesIn(database.scoped({ kind: 'project', projectId: project }))).toHaveLength(3);
  expect(await namesIn(database.scoped({ kind: 'project', projectId: project, reader: createId() }))).toEqual([]);
  expect(await namesIn(database.scoped({ kind: 'project', projectId: createId(), reader }))).toEqual([]);
});

it('a writer that does not check rights cannot change or delete what its user may only see, or not even that', async () => {
  const rename = (id: string) =>
    asCreator().updateTable('policies').set({ description: 'changed' }).where('id', '=', id).execute();
  await rename(byGroup);
  for (const id of [given, hidden]) {
    await expect(rename(id)).rejects.toThrow('no permission to change this policy');
    await expect(asCreator().deleteFrom('policies').where('id', '=', id).execute()).rejects.toThrow('no permission');
  }
});

it('a user is granted what they create, and the grant is deleted with it', async () => {
  const id = createId();
  await asCreator().insertInto('policies').values(policyOf(id, 'made')).execute();
  expect(await namesIn(asReader())).toContain('made');
  const permissions = () =>
    database.db.selectFrom('permissions').select(['level', 'user_id']).where('resource_id', '=', id).execute();
  expect(await permissions()).toEqual([{ level: 'change', user_id: reader }]);
  await asCreator().deleteFrom('policies').where('id', '=', id).execute();
  expect(await permissions()).toEqual([]);
});

it('a grant for a non-member, a group of another project, or two subjects at once is rejected', async () => {
  const other = createId();
  const stamps = { created_at: now, updated_at: now };
  await database.db
    .insertInto('projects')
    .values({ id: other, name: 'other', description: null, ...stamps })
    .execute();
  const theirs = { id: createId(), project_id: other, name: 'theirs', description: null, ...stamps };
  await database.db.insertInto('groups').values(theirs).execute();
  const subjects = [{ user_id: createId() }, { group_id: theirs.id }, { user_id: reader, group_id: group }];
  for (const subject of subjects) {
    const row = permission(subject, hidden, 'view');
    await expect(database.db.insertInto('permissions').values(row).execute()).rejects.toThrow(/violates/);
  }
});
