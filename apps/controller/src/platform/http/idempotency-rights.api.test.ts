import * as contract from '@flotilla/contract';
import { ADMINS, LISTED_ROLES, type Role, type RouteContract } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createRestrictedWorld,
  type RestrictedWorld,
} from '../../modules/identity/permissions/testing/listed-world.ts';
import type { Answer, TestCaller } from '../../testing/controller.ts';
import { TEST_VERSION } from '../../testing/fleet.ts';
import { WORK } from '../../testing/tenancy/tenant.ts';

/** A stored answer is only for a caller who may still make the request. */
let w: RestrictedWorld;
beforeAll(async () => {
  w = await createRestrictedWorld();
  w.t.controller.jobs.register(WORK);
}, 120_000);
afterAll(() => w?.t.close());

const WAIT = { interval: 20 };
const CLUSTERS = '/api/v3/xds/clusters';

const withKey = (by: Pick<TestCaller, 'call'>, url: string, body: unknown, key: string) =>
  by.call('POST', url, body, { 'idempotency-key': key });

/** Sends a request twice with the same key and expects equal answers. */
async function twice(by: Pick<TestCaller, 'call'>, url: string, body: unknown) {
  const ask = withKey.bind(undefined, by, url, body, createId());
  const first = await ask();
  expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
  const again = await ask();
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  return { first, ask };
}

/** Waits until this controller has noticed the change. */
const expectRefused = (ask: () => Promise<Answer>, code: string) =>
  vi.waitFor(async () => expect((await ask()).body.code).toBe(code), WAIT);

const newCluster = () => ({ name: createId(), version: TEST_VERSION, resource: { type: 'STATIC' } });
const inProject = (path: string, project = w.t.project) => `${path}?project=${project}`;

async function setRole(who: TestCaller, role: Role | undefined) {
  const member = `/api/v3/setting/users/${who.userId}/memberships/${w.t.project}`;
  const answer = await (role ? w.t.owner.call('PUT', member, { role }) : w.t.owner.call('DELETE', member));
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
}

describe('a stored answer is not returned to a caller who in the meantime', () => {
  it('left the project, even if it contains a secret', async () => {
    const by = await w.member('admin');
    const tokens = inProject('/api/v3/setting/tokens');
    const { first, ask } = await twice(by, tokens, { name: 'ci', role: 'viewer' });
    expect(first.body.token).toMatch(/^flt_/);
    await setRole(by, undefined);
    const refused = await ask();
    expect(refused.body.code).toBe('project.forbidden');
    expect(JSON.stringify(refused.body)).not.toContain(first.body.token);
  });

  it('lost the role that the route requires', async () => {
    const by = await w.member('admin');
    const { ask } = await twice(by, inProject('/api/v3/setting/discovery-token/generate'), {});
    await setRole(by, 'editor');
    expect((await ask()).body.code).toBe('role.forbidden');
  });

  it('lost the role that the first request used, even if the route requires a lower one', async () => {
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

  it('stopped being an owner of the installation', async () => {
    const name = `owner-${createId().slice(-8)}`;
    const by = await w.t.createMember('admin');
    const account = `/api/v3/setting/users/${by.userId}`;
    expect((await w.t.owner.call('PATCH', account, { is_owner: true, username: name })).status).toBe(200);
    const tokens = inProject('/api/v3/setting/tokens');
    const token = await vi.waitFor(() => twice(by, tokens, { name: 'all', role: 'owner' }), WAIT);
    const project = await twice(by, '/api/v3/setting/projects', { name });
    expect((await w.t.owner.call('PATCH', account, { is_owner: false })).status).toBe(200);
    await expectRefused(project.ask, 'owner.required');
    // The caller is still an admin: the route admits admins, but the token never belonged to one of them.
    expect(['role.too_high', 'idempotency.withheld']).toContain((await token.ask()).body.code);
  });

  it('lost access to the resource in the address', async () => {
    const by = await w.member('editor');
    const subject = { kind: 'user', id: by.userId } as const;
    const given = await w.grant(subject, { kind: 'document', id: w.shown.document }, 'change');
    const url = `${CLUSTERS}/shown-cluster/restore?project=${w.t.project}&version=${TEST_VERSION}`;
    const { ask } = await twice(by, url, { revision: 1 });
    expect((await w.admin.call('DELETE', inProject(`/api/v3/setting/permissions/${given.body.id}`))).status).toBe(204);
    expect((await ask()).body.code).toBe('record.not_found');
  });
});

describe('in a restricted project', () => {
  const takeAll = async (by: TestCaller) => {
    const { db } = w.t.database;
    await db.deleteFrom('permissions').where('user_id', '=', by.userId).execute();
  };
  const FILTER = 'envoy.extensions.filters.http.router.v3.Router';
  const extension = () => ({ name: createId(), version: TEST_VERSION, resource: {} });

  /**
   * Calls whose stored answers editors may receive, for routes that name no resource; `tells`: the answer contains
   * resources.
   */
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
  /** Their answers show a job and no resource. */
  const OF_JOBS = ['retryJob', 'cancelJob', 'prepareProxyVersion'];
  /** Their answers need more than one request to prepare; they list what they show as the calls above do. */
  const OF_FEATURES = [
    'publishUpstream',
    'unpublishHosts',
    'acknowledgeAlert',
    'silenceAlert',
    'changeFindingState',
    'assignFinding',
    'commentFinding',
    'changeFindings',
  ];

  it('every route whose answer may contain resources that it does not name is listed here', () => {
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
    expect(new Set(open.map(({ id }) => id))).toEqual(new Set([...Object.keys(CALLS), ...OF_JOBS, ...OF_FEATURES]));
    expect(ADMINS.some((role) => LISTED_ROLES.includes(role))).toBe(false);
  });

  it.each(Object.keys(CALLS))(
    '%s is answered again as long as everything that it created may be changed',
    async (id) => {
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
      // Losing one of the permissions is enough.
      const last = inProject(`/api/v3/setting/permissions/${given.at(-1)?.id}`);
      expect((await w.admin.call('DELETE', last)).status).toBe(204);
      expect((await ask()).body.code).toBe('idempotency.withheld');
      await takeAll(by);
      expect((await ask()).body.code).toBe('idempotency.withheld');
    },
  );
});

describe('an idempotency key', () => {
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

  it('of one project is unknown in another', async () => {
    const elsewhere = await w.t.createProject('elsewhere');
    const by = await w.member('admin');
    const { first } = await twice(by, inProject('/api/v3/setting/discovery-token/generate'), {});
    const key = createId();
    expect((await withKey(by, inProject('/api/v3/setting/discovery-token/generate'), {}, key)).status).toBe(201);
    const foreign = await withKey(by, inProject('/api/v3/setting/discovery-token/generate', elsewhere), {}, key);
    expect(foreign.body.code).toBe('project.forbidden');
    expect(JSON.stringify(foreign.body)).not.toContain(first.body.token);
  });

  it('is ignored when a session is ended or renewed, which happens each time', async () => {
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
