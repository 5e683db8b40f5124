import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestCaller } from '../../test-controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../test-fleet.ts';
import { fillListedProject } from '../../test-large-project.ts';
import { explain, recordQueries } from '../../test-queries.ts';

const THINGS = 20_000;

let t: TestFleet;
let admin: TestCaller;
let few: TestCaller;
beforeAll(async () => {
  t = await createTestFleet();
  admin = await t.createMember('admin');
  few = await t.createMember('editor');
  await fillListedProject(t.database, {
    project: t.project,
    things: THINGS,
    subjects: 200,
    given: [{ userId: few.userId, things: 100 }],
  });
}, 120_000);
afterAll(() => t?.close());

const list = () => `/api/v3/xds/clusters?project=${t.project}&version=${TEST_VERSION}&limit=50`;
const one = (name: string) => `/api/v3/xds/clusters/${name}?project=${t.project}&version=${TEST_VERSION}`;

it('the guard finds what is given on a thing by an index, whatever else there is', async () => {
  const asked = await recordQueries(t.database.db, async () => {
    expect((await few.call('GET', one('cluster-7'))).status).toBe(200);
  });
  const [question] = asked.filter(({ sql }) => sql.includes('from permissions p'));
  if (!question) throw new Error('the guard has asked nothing');
  const plan = await explain(t.database.db, question);
  expect(plan).not.toMatch(/Seq Scan on (permissions|documents)/);
});

it('what a member is given is read, and not what everybody is', async () => {
  const scope = { kind: 'project', projectId: t.project, reader: few.userId } as const;
  await t.database
    .scoped(scope)
    .transaction()
    .execute(async (tx) => {
      const given = await sql<{ count: number }>`select cardinality(reached_ids('document')) as count`.execute(tx);
      expect(given.rows).toEqual([{ count: 100 }]);
      const read = await sql<{ rows: number }>`select (seq_tup_read + idx_tup_fetch)::int as rows
      from pg_stat_xact_user_tables where relname = 'permissions'`.execute(tx);
      expect(read.rows[0]?.rows).toBeLessThan(1000);
    });
});

it('a member is shown all that is given and nothing else, page by page', async () => {
  const names: string[] = [];
  for (let url = list(), cursor: string | null = ''; cursor !== null; url = `${list()}&cursor=${cursor}`) {
    const { body } = await few.call('GET', url);
    names.push(...body.items.map(({ name }: { name: string }) => name));
    cursor = body.next_cursor;
  }
  expect(names.toSorted()).toEqual(Array.from({ length: 100 }, (_, i) => `cluster-${i + 1}`).toSorted());
  expect((await few.call('GET', `${list()}&q=cluster-1999`)).body.items).toEqual([]);
  const found = await few.call('GET', `/api/v3/search?project=${t.project}&q=cluster-1999`);
  expect(found.body.items.every(({ name }: { name: string }) => names.includes(name))).toBe(true);
});

it('an admin chooses from all subjects and all things by a part of their names', async () => {
  const asks = async (path: string) => (await admin.call('GET', `/api/v3/setting/${path}&project=${t.project}`)).body;
  const subjects = await asks('permission-subjects?q=group-4&limit=5');
  expect(subjects.items.map(({ kind, name }: { kind: string; name: string }) => [kind, name])).toEqual([
    ['group', 'group-4'],
    ['group', 'group-40'],
    ['group', 'group-41'],
    ['group', 'group-42'],
    ['group', 'group-43'],
  ]);
  expect(subjects.next_cursor).not.toBeNull();
  const things = await asks('resources?kind=document&q=cluster-19999');
  expect(things.items.map(({ name }: { name: string }) => name)).toEqual(['cluster-19999']);
});
