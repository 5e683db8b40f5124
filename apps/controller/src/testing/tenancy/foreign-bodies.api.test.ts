import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestCaller } from '../controller.ts';
import { createTestFleet, TEST_VERSION, type TestFleet } from '../fleet.ts';

/**
 * A write whose body names something of another project is refused as if it did not exist, and changes nothing there.
 */
let t: TestFleet;
let admin: TestCaller;
let theirs: string;
let [ourGroup, ourClient, theirGroup, theirClient, theirUser]: string[] = [];

beforeAll(async () => {
  t = await createTestFleet();
  admin = await t.createMember('admin');
  theirs = await t.createProject('theirs');
  const make = async (project: string, path: string, body: object): Promise<string> => {
    const answer = await t.owner.call('POST', `${path}?project=${project}`, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    return answer.body.id;
  };
  ourGroup = await make(t.project, '/api/v3/setting/groups', { name: 'team' });
  theirGroup = await make(theirs, '/api/v3/setting/groups', { name: 'team' });
  ourClient = await t.createClient('edge');
  theirClient = await t.createClient('edge', theirs);
  theirUser = (await t.createMember('editor', theirs)).userId;
}, 120_000);
afterAll(() => t?.close());

/** Calls with an id of the other project and with an unknown one: the answers only differ in the id. */
async function expectAlike(id: string | undefined, ask: (id: string) => [method: string, path: string, body: object]) {
  const answer = async (one: string) => {
    const [method, path, body] = ask(one);
    const { status, body: said } = await admin.call(method, `${path}?project=${t.project}`, body);
    const { request_id: _, ...rest } = said as Record<string, unknown>;
    return { status, said: JSON.stringify(rest).replaceAll(one, '<asked>') };
  };
  const [foreign, never] = [await answer(id ?? ''), await answer(createId())];
  expect(foreign).toEqual(never);
  return foreign;
}

const service = (client: string) => ({
  name: 'shop',
  version: TEST_VERSION,
  bootstrap: 'boot',
  listeners: ['web'],
  clients: [{ client_id: client }],
});

it('clients of another project are refused in a service as unknown', async () => {
  const made = await expectAlike(theirClient, (id) => ['POST', '/api/op/services', service(id)]);
  expect(made.status).toBeGreaterThanOrEqual(400);
  expect(made.status).toBeLessThan(500);
  const own = await admin.call('POST', `/api/op/services?project=${t.project}`, service(ourClient ?? ''));
  expect(own.status, JSON.stringify(own.body)).toBe(201);
});

it('documents of another project are refused in a service as unknown', async () => {
  for (const collection of ['bootstrap', 'listeners']) {
    const document = { name: 'only-theirs', version: TEST_VERSION, resource: {} };
    const made = await t.owner.call('POST', `/api/v3/xds/${collection}?project=${theirs}`, document);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  }
  for (const more of [(name: string) => ({ bootstrap: name }), (name: string) => ({ listeners: [name] })]) {
    const { status } = await expectAlike('only-theirs', (name) => [
      'POST',
      '/api/op/services',
      { ...service(ourClient ?? ''), name: 'refers', ...more(name) },
    ]);
    expect(status).toBeGreaterThanOrEqual(400);
  }
});

it('members of another project are refused in a group as unknown', async () => {
  const path = (id: string) => `/api/v3/setting/groups/${ourGroup}/members/${id}`;
  expect((await expectAlike(theirUser, (id) => ['PUT', path(id), {}])).status).toBeGreaterThanOrEqual(400);
  expect((await admin.call('PUT', `${path(admin.userId)}?project=${t.project}`, {})).status).toBe(204);
});

it('subjects and resources of another project are refused in a permission as unknown', async () => {
  const give = (subject: object, id: string | null, kind = 'client'): [string, string, object] => [
    'POST',
    '/api/v3/setting/permissions',
    { subject, resource: { kind, id }, level: 'view' },
  ];
  const us = { kind: 'group', id: ourGroup };
  const asked = [
    await expectAlike(theirUser, (id) => give({ kind: 'user', id }, null)),
    await expectAlike(theirGroup, (id) => give({ kind: 'group', id }, null)),
    await expectAlike(theirClient, (id) => give(us, id)),
  ];
  for (const { status } of asked) expect(status).toBeGreaterThanOrEqual(400);
  const [method, path, body] = give(us, ourClient ?? '');
  expect((await admin.call(method, `${path}?project=${t.project}`, body)).status).toBeLessThan(300);
});

it('memberships in another project are refused', async () => {
  const make = (project: string) => ({
    username: `new-${createId().slice(-8)}`,
    memberships: [{ project, role: 'viewer' }],
  });
  const answers = [];
  for (const project of [theirs, createId()]) {
    const { status, body } = await admin.call('POST', `/api/v3/setting/users?project=${t.project}`, make(project));
    answers.push({ status, code: body.code });
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]?.status).toBeGreaterThanOrEqual(400);
});

it('nothing of the other project has changed after all these writes', async () => {
  const of = (table: 'memberships' | 'group_members' | 'permissions' | 'services') =>
    t.database.db.selectFrom(table).select('project_id').where('project_id', '=', theirs).execute();
  expect(await of('memberships')).toHaveLength(1);
  for (const table of ['group_members', 'permissions', 'services'] as const) expect(await of(table)).toEqual([]);
});
