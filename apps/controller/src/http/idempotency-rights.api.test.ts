import * as contract from '@flotilla/contract';
import { ADMINS, LISTED_ROLES, type Role, type RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createListedWorld, type ListedWorld } from '../features/permissions/test-listed-world.ts';
import { WORK } from '../tenancy/test-tenant.ts';
import type { Answer, TestCaller } from '../test-controller.ts';
import { TEST_VERSION } from '../test-fleet.ts';

/** What was answered to a key is for whoever may still do what the request did, and nobody else. */
let w: ListedWorld;
beforeAll(async () => {
  w = await createListedWorld();
  w.t.controller.jobs.register(WORK);
}, 120_000);
afterAll(() => w?.t.close());

const WAIT = { timeout: 30_000, interval: 20 };
const CLUSTERS = '/api/v3/xds/clusters';

const withKey = (by: Pick<TestCaller, 'call'>, url: string, body: unknown, key: string) =>
  by.call('POST', url, body, { 'idempotency-key': key });

/** A request and its key, which is answered alike twice. */
async function twice(by: Pick<TestCaller, 'call'>, url: string, body: unknown) {
  const ask = withKey.bind(undefined, by, url, body, createId());
  const first = await ask();
  expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
  const again = await ask();
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  return { first, ask };
}

/** As soon as this controller has heard of it. */
const expectRefused = (ask: () => Promise<Answer>, code: string) =>
  vi.waitFor(async () => expect((await ask()).body.code).toBe(code), WAIT);

const newCluster = () => ({ name: createId(), version: TEST_VERSION, resource: { type: 'STATIC' } });
const inProject = (path: string, project = w.t.project) => `${path}?project=${project}`;

async function setRole(who: TestCaller, role: Role | undefined) {
  const member = `/api/v3/setting/users/${who.userId}/memberships/${w.t.project}`;
  const answer = await (role ? w.t.owner.call('PUT', member, { role }) : w.t.owner.call('DELETE', member));
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

describe('an answer that was stored is not given to somebody who meanwhile', () => {
  it('belongs to the project no more, also with a secret in it', async () => {
    const by = await w.member('admin');
    const tokens = inProject('/api/v3/setting/tokens');
    const { first, ask } = await twice(by, tokens, { name: 'ci', role: 'viewer' });
    expect(first.body.token).toMatch(/^flt_/);
    await setRole(by, undefined);
    const refused = await ask();
    expect(refused.body.code).toBe('project.forbidden');
    expect(JSON.stringify(refused.body)).not.toContain(first.body.token);
  });

  it('has lost the role that the route asks for', async () => {
    const by = await w.member('admin');
    const { ask } = await twice(by, inProject('/api/v3/setting/discovery-token/generate'), {});
    await setRole(by, 'editor');
    expect((await ask()).body.code).toBe('role.forbidden');
  });

  it('has lost the role that the request itself asked for, of a route for lesser ones, too', async () => {
    const by = await w.t.createMember('admin');
    const made = await w.t.owner.call('POST', inProject('/api/v3/setting/tokens'), { name: 'high', role: 'admin' });
    const { ask } = await twice(by, inProject(`/api/v3/setting/tokens/${made.body.id}/rotate`), { overlap_s: 0 });
    const cluster = await twice(by, inProject(CLUSTERS), newCluster());
    const person = await twice(by, inProject('/api/v3/setting/users'), {
      username: `made-${createId().slice(-8)}`,
      memberships: [{ project: w.t.project, role: 'admin' }],
    });
    await setRole(by, 'editor');
    expect((await ask()).body.code).toBe('role.forbidden');
    expect((await person.ask()).body.code).toBe('role.forbidden');
    expect((await cluster.ask()).body.code).toBe('idempotency.withheld');
    await setRole(by, 'admin');
    await vi.waitFor(async () => expect((await cluster.ask()).body).toEqual(cluster.first.body), WAIT);
  });

  it('owned the installation and does not any more', async () => {
    const name = `owner-${createId().slice(-8)}`;
    const by = await w.t.createMember('admin');
    const account = `/api/v3/setting/users/${by.userId}`;
    expect((await w.t.owner.call('PATCH', account, { is_owner: true, username: name })).status).toBe(200);
    const tokens = inProject('/api/v3/setting/tokens');
    const token = await vi.waitFor(() => twice(by, tokens, { name: 'all', role: 'owner' }), WAIT);
    const project = await twice(by, '/api/v3/setting/projects', { name });
    expect((await w.t.owner.call('PATCH', account, { is_owner: false })).status).toBe(200);
    await expectRefused(project.ask, 'owner.required');
    // Still an admin: the route lets admins in, and the token was never for one of them to have.
    expect(['role.too_high', 'idempotency.withheld']).toContain((await token.ask()).body.code);
  });

  it('may not reach the thing any more that the address names', async () => {
    const by = await w.member('editor');
    const subject = { kind: 'user', id: by.userId } as const;
    const given = await w.grant(subject, { kind: 'document', id: w.shown.document }, 'change');
    const url = `${CLUSTERS}/shown-cluster/restore?project=${w.t.project}&version=${TEST_VERSION}`;
    const { ask } = await twice(by, url, { revision: 1 });
    expect((await w.admin.call('DELETE', inProject(`/api/v3/setting/permissions/${given.body.id}`))).status).toBe(204);
    expect((await ask()).body.code).toBe('record.not_found');
  });
});

describe('in a project that lists what its members reach', () => {
  const takeAll = async (by: TestCaller) => {
    const { db } = w.t.database;
    await db.deleteFrom('permissions').where('user_id', '=', by.userId).execute();
  };
  const FILTER = 'envoy.extensions.filters.http.router.v3.Router';
  const extension = () => ({ name: createId(), version: TEST_VERSION, resource: {} });

  /** What editors may have answered by routes that name no thing, and whether it tells of any. */
  const CALLS: Readonly<Record<string, { url: string; body: () => unknown; tells: boolean }>> = {
    createDocument: { url: CLUSTERS, body: newCluster, tells: true },
    createExtensionObject: { url: `/api/v3/eo/filters/${FILTER}`, body: extension, tells: true },
    createExtensionObjects: {
      url: '/api/v3/eo/filters',
      body: () => ({ ...extension(), type: FILTER }),
      tells: true,
    },
    applyDocuments: {
      url: '/api/v3/xds/apply',
      body: () => ({
        project: w.t.project,
        documents: [1, 2].map(() => ({ collection: 'clusters', ...newCluster() })),
      }),
      tells: true,
    },
  };
  /** Of jobs, members see those that they have started. */
  const OF_JOBS = ['retryJob', 'cancelJob'];

  it('every route that could answer of things it does not name is known here', () => {
    const routes = Object.entries(contract).flatMap(([name, all]) =>
      name.endsWith('Routes') ? Object.values(all as Record<string, RouteContract>) : [],
    );
    const open = routes.filter(
      ({ method, access, needs, audit, project }) =>
        method === 'POST' &&
        audit !== null &&
        needs === undefined &&
        project !== 'none' &&
        (access.kind === 'authenticated' ||
          (access.kind === 'roles' && access.roles.some((role) => LISTED_ROLES.includes(role)))),
    );
    expect(new Set(open.map(({ id }) => id))).toEqual(new Set([...Object.keys(CALLS), ...OF_JOBS]));
    expect(ADMINS.some((role) => LISTED_ROLES.includes(role))).toBe(false);
  });

  it.each(Object.keys(CALLS))('%s is answered again as long as all that it made may be changed', async (id) => {
    const call = CALLS[id];
    if (!call) throw new Error(id);
    const by = await w.member('editor');
    const url = call.url.endsWith('/apply') ? call.url : inProject(call.url);
    const { ask } = await twice(by, url, call.body());
    const given = await w.t.database.db
      .selectFrom('permissions')
      .select('id')
      .where('user_id', '=', by.userId)
      .execute();
    expect(given.length).toBeGreaterThan(0);
    // One of them is enough.
    const last = inProject(`/api/v3/setting/permissions/${given.at(-1)?.id}`);
    expect((await w.admin.call('DELETE', last)).status).toBe(204);
    expect((await ask()).body.code).toBe('idempotency.withheld');
    await takeAll(by);
    expect((await ask()).body.code).toBe('idempotency.withheld');
  });
});

describe('a key', () => {
  it('of another account is another key, and so is that of a token of the same account', async () => {
    const [one, other] = [await w.member('admin'), await w.member('admin')];
    const generate = inProject('/api/v3/setting/discovery-token/generate');
    const key = createId();
    const [first, second] = [await withKey(one, generate, {}, key), await withKey(other, generate, {}, key)];
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body.token).not.toBe(first.body.token);
    const made = await one.call('POST', inProject('/api/v3/setting/tokens'), { name: 'key', role: 'admin' });
    const asToken: Pick<TestCaller, 'call'> = {
      call: (method, url, body, headers) =>
        one.call(method, url, body, { ...headers, authorization: `Bearer ${made.body.token}` }),
    };
    const cluster = newCluster();
    const more = createId();
    expect((await withKey(one, inProject(CLUSTERS), cluster, more)).status).toBe(201);
    expect((await withKey(asToken, inProject(CLUSTERS), cluster, more)).body.code).toBe('record.exists');
  });

  it('of one project says nothing in another', async () => {
    const elsewhere = await w.t.createProject('elsewhere');
    const by = await w.member('admin');
    const { first } = await twice(by, inProject('/api/v3/setting/discovery-token/generate'), {});
    const key = createId();
    expect((await withKey(by, inProject('/api/v3/setting/discovery-token/generate'), {}, key)).status).toBe(201);
    const foreign = await withKey(by, inProject('/api/v3/setting/discovery-token/generate', elsewhere), {}, key);
    expect(foreign.body.code).toBe('project.forbidden');
    expect(JSON.stringify(foreign.body)).not.toContain(first.body.token);
  });

  it('is of no account when a session is ended or renewed: that is done each time', async () => {
    const by = await w.member('viewer');
    const login = async () =>
      (await w.t.owner.call('POST', '/auth/login', { username: by.username, password: by.password })).body.access_token;
    const key = createId();
    for (const token of [await login(), await login()]) {
      const as = { authorization: `Bearer ${token}` };
      expect((await w.t.owner.call('POST', '/logout', undefined, { ...as, 'idempotency-key': key })).status).toBe(204);
      expect((await w.t.owner.call('GET', '/api/v3/profile', undefined, as)).status).toBe(401);
    }
  });
});
