import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openController, type TestCaller } from '../../../testing/controller.ts';
import { createTestFleet, TEST_FLEET_ENV, TEST_VERSION, type TestFleet } from '../../../testing/fleet.ts';
import { createGuardedRoutes, PERMITTED, PERMITTED_WRITE } from '../../../testing/guard.ts';
import { silenceNews } from '../../../testing/news.ts';
import { recordQueries } from '../../../testing/queries.ts';

const WAIT = { interval: 5 };

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
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.id;
}

const take = (id: string) => admin.call('DELETE', `/api/v3/setting/permissions/${id}?project=${t.project}`);

const questionsOf = async (work: () => Promise<unknown>) =>
  (await recordQueries(t.database.db, work)).filter(({ sql }) => sql.includes('from permissions granted')).length;

describe("the guard's cached answer about a resource", () => {
  it.each([
    ['read', read],
    ['written', write],
  ] as const)('is used for a moment if the resource is %s', async (_, ask) => {
    const by = await t.createMember('editor');
    await give(by, 'change');
    // On a slow machine the cache may expire between two requests.
    await vi.waitFor(async () => expect(await questionsOf(() => ask(by))).toBe(0), WAIT);
  });

  it('survives writes of others, but not changes of permissions', async () => {
    const [by, other] = [await t.createMember('editor'), await t.createMember('editor')];
    const id = await give(by, 'change');
    const clusters = `/api/v3/xds/clusters?project=${t.project}`;
    const makeOne = () =>
      other.call('POST', clusters, { name: createId(), version: TEST_VERSION, resource: { type: 'STATIC' } });
    await vi.waitFor(async () => {
      expect((await write(by)).status).toBe(200);
      expect((await makeOne()).status).toBe(201);
      expect(await questionsOf(() => write(by))).toBe(0);
    }, WAIT);
    expect((await take(id)).status).toBe(204);
    expect((await write(by)).status).toBe(404);
  });

  it('includes new permissions at once: refusals are never cached', async () => {
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

  it('ends with the group that gave it, and belongs to nobody else', async () => {
    const [by, other] = [await t.createMember('editor'), await t.createMember('editor')];
    const group = (await admin.call('POST', `/api/v3/setting/groups?project=${t.project}`, { name: 'night' })).body.id;
    const member = `/api/v3/setting/groups/${group}/members/${by.userId}?project=${t.project}`;
    expect((await admin.call('PUT', member)).status).toBe(204);
    const body = { subject: { kind: 'group', id: group }, resource: { kind: 'client', id: null }, level: 'view' };
    expect((await admin.call('POST', `/api/v3/setting/permissions?project=${t.project}`, body)).status).toBe(201);
    expect([(await read(by)).status, (await read(other)).status]).toEqual([200, 404]);
    expect((await admin.call('DELETE', member)).status).toBe(204);
    expect((await read(by)).status).toBe(404);
  });
});

describe('a write that the cache of another controller still admits', () => {
  const WITHIN_MS = 1000;
  /** A controller forgets what it knows when its connection for notifications is cut: a round may come too late. */
  const ROUNDS_MAX = 500;
  let document: string;
  let item: string;
  beforeAll(async () => {
    item = `/api/v3/xds/clusters/remembered?project=${t.project}&version=${TEST_VERSION}`;
    const made = await admin.call('POST', `/api/v3/xds/clusters?project=${t.project}`, {
      name: 'remembered',
      version: TEST_VERSION,
      resource: { type: 'STATIC' },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    document = made.body.id;
  });

  const describeFarAway = async (by: TestCaller, description: string): Promise<string> => {
    const answer = await far.controller.app.inject({
      method: 'PATCH',
      url: item,
      headers: { authorization: `Bearer ${by.token}` },
      payload: { description },
    });
    return answer.statusCode === 200 ? 'ok' : answer.json().code;
  };
  const described = async () => (await admin.call('GET', item)).body.description;

  /** Nothing is written from the first request after the revocation; the guard itself notices within a second. */
  const expectStopped = async () => {
    let stoppedByRows = 0;
    for (let round = 0; round < ROUNDS_MAX && stoppedByRows === 0; round += 1) {
      const by = await t.createMember('editor');
      const body = { subject: { kind: 'user', id: by.userId }, resource: { kind: 'document', id: document } };
      const given = await admin.call('POST', `/api/v3/setting/permissions?project=${t.project}`, {
        ...body,
        level: 'change',
      });
      expect(given.status, JSON.stringify(given.body)).toBe(201);
      const allowed = `allowed ${createId()}`;
      expect(await describeFarAway(by, allowed)).toBe('ok');
      expect((await take(given.body.id)).status).toBe(204);
      const takenMs = performance.now();
      for (;;) {
        const sentMs = performance.now();
        const code = await describeFarAway(by, `forbidden ${createId()}`);
        if (code === 'record.not_found') break;
        expect(code).toBe('permission.missing');
        expect(sentMs - takenMs).toBeLessThan(WITHIN_MS);
        stoppedByRows += 1;
      }
      expect(await described()).toBe(allowed);
    }
    expect(stoppedByRows).toBeGreaterThan(0);
  };

  it('changes nothing once the permission is revoked, and the guard refuses it within a second', () => expectStopped());

  it('is refused in the same way without notifications', async () => {
    const hear = await silenceNews(t.database);
    try {
      await expectStopped();
    } finally {
      await hear();
    }
  });
});
