import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openController, type TestCaller } from '../../test-controller.ts';
import { createTestFleet, TEST_FLEET_ENV, type TestFleet } from '../../test-fleet.ts';
import { createGuardedRoutes, PERMITTED, PERMITTED_WRITE } from '../../test-guard.ts';
import { recordQueries } from '../../test-queries.ts';

const WAIT = { timeout: 30_000, interval: 5 };

let t: TestFleet;
let far: Awaited<ReturnType<typeof openController>>;
let admin: TestCaller;
let client: string;
beforeAll(async () => {
  const moreRoutes = createGuardedRoutes();
  t = await createTestFleet({ moreRoutes });
  far = await openController(t.database, TEST_FLEET_ENV, { moreRoutes });
  admin = await t.createMember('admin');
  client = await t.createClient('permitted');
  await admin.call('PUT', `/api/v3/setting/resource-access?project=${t.project}`, { resource_access: 'listed' });
});
afterAll(async () => {
  await far?.close();
  await t?.close();
});

const read = (by: TestCaller) => by.call('GET', `${PERMITTED}/${client}?project=${t.project}`);
const write = (by: TestCaller) => by.call('DELETE', `${PERMITTED_WRITE}/${client}?project=${t.project}`);
const farAway = async (by: TestCaller) =>
  (
    await far.controller.app.inject({
      url: `${PERMITTED}/${client}?project=${t.project}`,
      headers: { authorization: `Bearer ${by.token}` },
    })
  ).statusCode;

async function give(by: TestCaller, level: 'view' | 'change'): Promise<string> {
  const body = { subject: { kind: 'user', id: by.userId }, resource: { kind: 'client', id: client }, level };
  const answer = await admin.call('POST', `/api/v3/setting/permissions?project=${t.project}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.id;
}

const take = (id: string) => admin.call('DELETE', `/api/v3/setting/permissions/${id}?project=${t.project}`);

const questionsOf = async (work: () => Promise<unknown>) =>
  (await recordQueries(t.database.db, work)).filter(({ sql }) => sql.includes('from permissions p')).length;

describe('what the guard was told of a thing that is read', () => {
  it('is not asked again for a moment, and a write asks each time', async () => {
    const by = await t.createMember('editor');
    await give(by, 'change');
    // On a slow machine a moment may pass between two requests.
    await vi.waitFor(async () => expect(await questionsOf(() => read(by))).toBe(0), WAIT);
    expect(await questionsOf(() => write(by))).toBe(1);
  });

  it('is what is given now: that somebody may not is never remembered', async () => {
    const by = await t.createMember('editor');
    expect((await read(by)).status).toBe(404);
    await give(by, 'view');
    expect((await read(by)).status).toBe(200);
    expect([(await write(by)).status, (await write(by)).body.code]).toEqual([403, 'permission.missing']);
  });

  it('ends with the permission: on the next request here, and within a second on another controller', async () => {
    const by = await t.createMember('editor');
    for (let round = 0; round < 10; round += 1) {
      const id = await give(by, 'change');
      expect((await read(by)).status).toBe(200);
      await vi.waitFor(async () => expect(await farAway(by)).toBe(200), WAIT);
      expect((await take(id)).status).toBe(204);
      expect((await read(by)).status).toBe(404);
      expect((await write(by)).status).toBe(404);
      await vi.waitFor(async () => expect(await farAway(by)).toBe(404), WAIT);
    }
  });

  it('ends with the group that gave it, and is of nobody else', async () => {
    const [by, other] = [await t.createMember('editor'), await t.createMember('editor')];
    const group = (await admin.call('POST', `/api/v3/setting/groups?project=${t.project}`, { name: 'night' })).body.id;
    const member = `/api/v3/setting/groups/${group}/members/${by.userId}?project=${t.project}`;
    expect((await admin.call('PUT', member)).status).toBe(204);
    const body = { subject: { kind: 'group', id: group }, resource: { kind: 'client', id: null }, level: 'view' };
    expect((await admin.call('POST', `/api/v3/setting/permissions?project=${t.project}`, body)).status).toBe(200);
    expect([(await read(by)).status, (await read(other)).status]).toEqual([200, 404]);
    expect((await admin.call('DELETE', member)).status).toBe(204);
    expect((await read(by)).status).toBe(404);
  });
});
