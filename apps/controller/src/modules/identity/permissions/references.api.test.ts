import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCaller } from '../../../testing/controller.ts';
import { TEST_VERSION } from '../../../testing/fleet.ts';
import { createRestrictedWorld, HIDDEN, type RestrictedWorld } from './testing/listed-world.ts';

let w: RestrictedWorld;
beforeAll(async () => {
  w = await createRestrictedWorld();
});
afterAll(() => w.t.close());

const routesTo = (cluster: string) => ({
  virtual_hosts: [
    { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: `${cluster}-cluster` } }] },
  ],
});
const address = (name: string, suffix = '') =>
  `/api/v3/xds/routes/${name}${suffix}?project=${w.t.project}&version=${TEST_VERSION}`;
const documentOf = (name: string, cluster: string) => ({
  collection: 'routes',
  name,
  version: TEST_VERSION,
  resource: routesTo(cluster),
});

/** Every way to write a reference to the cluster; each returns the part of the answer to compare. */
const WAYS: Readonly<Record<string, (by: TestCaller, name: string, cluster: string) => Promise<unknown>>> = {
  create: async (by, name, cluster) => {
    const body = { name: `${name}-new`, version: TEST_VERSION, resource: routesTo(cluster) };
    return toComparable(await by.call('POST', `/api/v3/xds/routes?project=${w.t.project}`, body), cluster);
  },
  replace: async (by, name, cluster) =>
    toComparable(await by.call('PUT', address(name), { resource: routesTo(cluster) }), cluster),
  patch: async (by, name, cluster) =>
    toComparable(await by.call('PATCH', address(name), { resource: routesTo(cluster) }), cluster),
  'dry run': async (by, name, cluster) =>
    toComparable(await by.call('PUT', `${address(name)}&dry_run=true`, { resource: routesTo(cluster) }), cluster),
  apply: async (by, name, cluster) => {
    const body = { project: w.t.project, documents: [documentOf(name, cluster)] };
    return toComparable(await by.call('POST', '/api/v3/xds/apply', body), cluster);
  },
};

function toComparable(answer: { status: number; body: Record<string, unknown> }, cluster: string): unknown {
  const { request_id: _, ...body } = answer.body;
  return [answer.status, JSON.stringify(body).replaceAll(cluster, 'TARGET')];
}

/** Creates an editor with their own route configuration, which refers to a cluster they may use. */
async function createAuthor(name: string): Promise<TestCaller> {
  const by = await w.member('editor');
  const given = await w.grant({ kind: 'user', id: by.userId }, { kind: 'document', id: w.shown.document }, 'use');
  expect(given.status).toBe(201);
  const body = { name, version: TEST_VERSION, resource: routesTo('shown') };
  const made = await by.call('POST', `/api/v3/xds/routes?project=${w.t.project}`, body);
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return by;
}

describe('a reference', () => {
  it.each(Object.keys(WAYS))(
    'to a target that the caller may not use is refused like one to a missing target: by %s',
    async (way) => {
      const name = `author-${way.replace(' ', '-')}`;
      const by = await createAuthor(name);
      const write = WAYS[way];
      if (!write) throw new Error('no such way');
      const missing = await write(by, name, 'never');
      expect(missing).toEqual([409, expect.stringContaining('reference.missing')]);
      expect(await write(by, name, HIDDEN)).toEqual(missing);
      // Permission to view is not enough.
      await w.grant({ kind: 'user', id: by.userId }, { kind: 'document', id: w.hidden.document }, 'view');
      expect(await write(by, name, HIDDEN)).toEqual(missing);
      await w.grant({ kind: 'user', id: by.userId }, { kind: 'document', id: w.hidden.document }, 'use');
      expect(await write(by, name, HIDDEN)).not.toEqual(missing);
    },
  );

  it('that already exists stays when the rest is changed, and cannot be restored after its removal', async () => {
    const by = await createAuthor('kept');
    const own = await w.admin.call(
      'GET',
      `/api/v3/setting/permissions?project=${w.t.project}&user_id=${by.userId}&resource_id=${w.shown.document}`,
    );
    const url = `/api/v3/setting/permissions/${own.body.items[0].id}?project=${w.t.project}`;
    expect((await w.admin.call('DELETE', url)).status).toBe(204);
    expect((await by.call('PATCH', address('kept'), { description: 'still mine' })).status).toBe(200);
    const other = { virtual_hosts: [{ name: 'all', domains: ['*'], routes: [] }] };
    expect((await by.call('PUT', address('kept'), { resource: other })).status).toBe(200);
    const back = await by.call('POST', address('kept', '/restore'), { revision: 1 });
    expect([back.status, back.body.code]).toEqual([409, 'reference.missing']);
  });

  it('from a hidden document protects its target from deletion without being revealed', async () => {
    const by = await createAuthor('unused');
    await w.grant({ kind: 'user', id: by.userId }, { kind: 'document', id: w.hidden.document }, 'change');
    const secret = { name: `${HIDDEN}-routes`, version: TEST_VERSION, resource: routesTo(HIDDEN) };
    const made = await w.admin.call('POST', `/api/v3/xds/routes?project=${w.t.project}`, secret);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const cluster = `/api/v3/xds/clusters/${HIDDEN}-cluster?project=${w.t.project}&version=${TEST_VERSION}`;
    const refused = await by.call('DELETE', cluster);
    expect([refused.status, refused.body.code, refused.body.users]).toEqual([409, 'record.in_use', []]);
    expect(JSON.stringify(refused.body)).not.toContain(`${HIDDEN}-routes`);
    const names = (await w.admin.call('DELETE', cluster)).body.users.map((user: { name: string }) => user.name);
    expect(names).toContain(`${HIDDEN}-routes`);
  });
});
