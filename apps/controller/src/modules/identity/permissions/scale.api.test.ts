import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { fillRestrictedProject } from '../../../testing/large-project.ts';
import { explain, recordQueries } from '../../../testing/queries.ts';

const THINGS = 20_000;

let t: TestFleet;
let admin: TestCaller;
let few: TestCaller;
/** Has more permissions than are read one by one. */
let many: TestCaller;
beforeAll(async () => {
  t = await createTestFleet();
  admin = await t.createMember('admin');
  few = await t.createMember('editor');
  many = await t.createMember('editor');
  await fillRestrictedProject(t.database, {
    project: t.project,
    things: THINGS,
    subjects: 200,
    given: [
      { userId: few.userId, things: 100 },
      { userId: many.userId, things: 5000 },
    ],
  });
}, 120_000);
afterAll(() => t?.close());

const list = () => `/api/v3/xds/clusters?project=${t.project}&version=${TEST_VERSION}&limit=50`;
const one = (name: string) => `/api/v3/xds/clusters/${name}?project=${t.project}&version=${TEST_VERSION}`;

it('the guard finds permissions on a resource by an index, however many there are', async () => {
  const asked = await recordQueries(t.database.db, async () => {
    expect((await few.call('GET', one('cluster-7'))).status).toBe(200);
  });
  const [question] = asked.filter(({ sql }) => sql.includes('from permissions granted'));
  if (!question) throw new Error('the guard has asked nothing');
  const plan = await explain(t.database.db, question);
  expect(plan).not.toMatch(/Seq Scan on (permissions|documents)/);
});

it("only the member's own permissions are read", async () => {
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

/** The query plans for documents and permissions. */
async function plansOf(work: () => Promise<{ status: number }>): Promise<string[]> {
  const asked = await recordQueries(t.database.db, async () => expect((await work()).status).toBeLessThan(300));
  const questions = asked.filter(({ sql }) => /^\s*(select|with)\b.*(documents|permissions)/s.test(sql));
  return Promise.all(questions.map((question) => explain(t.database.db, question)));
}

const search = (q: string, limit = 20) => `/api/v3/search?project=${t.project}&q=${q}&limit=${limit}`;

it.each(['cluster', 'cluster-99', 'cluster-19999', 'clustre-7', 'nowhere', ''])(
  'a search by a member with few permissions only reads the permitted rows: "%s"',
  async (text) => {
    const plans = await plansOf(() => few.call('GET', search(text)));
    expect(plans.length).toBeGreaterThan(1);
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan on (permissions|documents)|documents_like/);
    expect(plans.join()).toContain('documents_pkey');
  },
);

it('a search by a member with many permissions uses the text index', async () => {
  const plans = await plansOf(() => many.call('GET', `${search('nowhere')}&kind=document`));
  expect(plans.join()).toContain('documents_like');
  expect(plans.join()).not.toMatch(/Seq Scan on (permissions|documents)/);
});

it('a write checks permissions by an index, however many there are', async () => {
  const cluster = { route: { cluster: 'cluster-7' }, match: { prefix: '/' } };
  const route = {
    name: 'refers',
    version: TEST_VERSION,
    resource: { virtual_hosts: [{ name: 'all', domains: ['*'], routes: [cluster] }] },
  };
  const url = `/api/v3/xds/routes?project=${t.project}&dry_run=true`;
  const plans = await plansOf(() => few.call('POST', url, route));
  expect(plans.some((plan) => plan.includes('on permissions'))).toBe(true);
  expect(plans.join()).not.toContain('Seq Scan on permissions');
});

it('a search finds exactly the permitted resources, for every kind of permission', async () => {
  const [nobody, byGroup, whole] = [
    await t.createMember('viewer'),
    await t.createMember('viewer'),
    await t.createMember('viewer'),
  ];
  const asks = async (method: string, path: string, body: unknown) => {
    const answer = await admin.call(method, `/api/v3/setting/${path}project=${t.project}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
    return answer.body;
  };
  const { items } = await asks('GET', 'permission-subjects?q=group-7&limit=1&', undefined);
  const group = items[0].id;
  await sql`insert into group_members (project_id, group_id, user_id, added_at)
    values (${t.project}, ${group}, ${byGroup.userId}, now())`.execute(t.database.owner);
  await asks('POST', 'permissions?', {
    subject: { kind: 'user', id: whole.userId },
    resource: { kind: 'document', id: null },
    level: 'view',
  });
  for (const [by, texts] of [
    [nobody, ['cluster-7', 'clustre']],
    [byGroup, ['cluster-7', 'cluster-7063', 'cluster-70', 'clustre']],
    [whole, ['cluster-7', 'cluster-19999', 'cluster-70']],
    [few, ['cluster-7', 'cluster-19999', 'luster-9']],
    [many, ['cluster-7', 'cluster-4999', 'cluster-19999', 'luster-49']],
  ] as const)
    for (const text of texts) {
      const reached = sql`may_reach(${by.userId}, ${t.project}, 'document', id, 'view')`;
      const first = await sql<{ name: string }>`
        with containing as materialized (select id, name from documents where project_id = ${t.project} and name like ${`%${text}%`})
        select name from containing where ${reached}
        order by name <> ${text}, name not like ${`${text}%`}, length(name), name limit 20`.execute(t.database.owner);
      const { body } = await by.call('GET', `${search(text)}&kind=document`);
      const found: string[] = body.items.map(({ name }: { name: string }) => name);
      expect(found.slice(0, first.rows.length), text).toEqual(first.rows.map(({ name }) => name));
      const hidden = await sql`select name from documents
        where project_id = ${t.project} and name = any(${found}) and not ${reached}`.execute(t.database.owner);
      expect(hidden.rows).toEqual([]);
      expect(found.length > 0).toBe(by !== nobody);
    }
});

it('a member can list all permitted resources and nothing else, page by page', async () => {
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

it('an admin can choose from all subjects and resources by a part of their names', async () => {
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
