import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';

let t: TestController;
const VERSION = TEST_ENVOY_VERSIONS.newest;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
});
afterAll(() => t.close());

const at = (collection: string, name?: string, extra = '') =>
  `/api/v3/xds/${collection}${name === undefined ? '' : `/${encodeURIComponent(name)}`}?project=${t.project}${name === undefined ? '' : `&version=${VERSION}`}${extra}`;

function cluster(name: string, more: Record<string, unknown> = {}) {
  return { name, version: VERSION, resource: { type: 'STATIC', connect_timeout: '1s', ...more } };
}

describe('documents', () => {
  it('for virtual hosts are named after their route configuration and host, for any kind of host', async () => {
    await t.owner.call('POST', at('routes'), { name: 'hosts', version: VERSION, resource: {} });
    for (const host of ['shop.example', '*.example', '192.0.2.1:8080', '[2001:db8::1]', '[2001:db8::1]:8443', '*']) {
      const virtualHost = { name: `hosts/${host}`, version: VERSION, resource: { domains: [host] } };
      const made = await t.owner.call('POST', at('virtual_hosts'), virtualHost);
      expect(made.status, JSON.stringify(made.body)).toBe(201);
      const location = String(made.headers.location);
      expect((await t.owner.call('GET', location)).body.name).toBe(`hosts/${host}`);
      expect((await t.owner.call('DELETE', location)).status).toBe(204);
    }
    expect((await t.owner.call('DELETE', at('routes', 'hosts'))).status).toBe(204);
    const refused = await t.owner.call('POST', at('clusters'), cluster('café'));
    expect(refused.body.message).toContain('name: up to 128 letters, digits, dots, dashes and underscores');
  });

  it('can be created, read, replaced, patched and deleted with revisions and ETags', async () => {
    const created = await t.owner.call('POST', at('clusters'), cluster('alpha'));
    expect(created.body).toMatchObject({ name: 'alpha', revision: 1, resource: { name: 'alpha', type: 'STATIC' } });
    expect(created.status).toBe(201);
    const read = await t.owner.call('GET', String(created.headers.location));
    expect(read.body).toEqual(created.body);
    expect(read.headers.etag).toBe(created.headers.etag);
    const stale = await t.owner.call(
      'PUT',
      at('clusters', 'alpha'),
      { resource: { type: 'STATIC' } },
      { 'if-match': '"7"' },
    );
    expect(stale.status).toBe(412);
    const replaced = await t.owner.call(
      'PUT',
      at('clusters', 'alpha'),
      { resource: { type: 'STATIC', connect_timeout: '2s' } },
      { 'if-match': '"1"' },
    );
    expect(replaced.body).toMatchObject({ revision: 2, resource: { connect_timeout: '2s' } });
    const patched = await t.owner.call('PATCH', at('clusters', 'alpha'), {
      labels: { team: 'a' },
      resource: { connect_timeout: null, alt_stat_name: 'x' },
    });
    expect(patched.body).toMatchObject({ revision: 3, labels: { team: 'a' } });
    expect(patched.body.resource).toEqual({ name: 'alpha', type: 'STATIC', alt_stat_name: 'x' });
    const restored = await t.owner.call('POST', `${at('clusters', 'alpha').replace('?', '/restore?')}`, {
      revision: 2,
    });
    expect(restored.body).toMatchObject({ revision: 4, labels: {}, resource: { connect_timeout: '2s' } });
    const history = await t.owner.call('GET', `${at('clusters', 'alpha').replace('?', '/revisions?')}`);
    expect(history.body.items.map(({ revision }: { revision: number }) => revision)).toEqual([4, 3, 2, 1]);
    expect((await t.owner.call('DELETE', at('clusters', 'alpha'))).status).toBe(204);
    expect((await t.owner.call('GET', at('clusters', 'alpha'))).status).toBe(404);
  });

  it('are refused with the field that Envoy would refuse', async () => {
    const answer = await t.owner.call('POST', at('clusters'), cluster('bad', { connect_timeout: '-1s' }));
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path).toBe('resource.connect_timeout');
    const unknown = await t.owner.call('POST', at('clusters'), cluster('bad', { conect_timeout: '1s' }));
    expect(unknown.body.details[0].path).toBe('resource.conect_timeout');
  });

  it('of an unknown version are refused with the known versions', async () => {
    const answer = await t.owner.call('POST', at('clusters'), { ...cluster('x'), version: '9.9.9' });
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('version.unknown');
    expect(answer.body.message).toContain(VERSION);
  });
});

describe('/api/v3/eo', () => {
  const ROUTER = 'envoy.extensions.filters.http.router.v3.Router';
  const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
  const eo = (rest: string) => `/api/v3/eo/filters${rest}?project=${t.project}`;

  it('serves the same documents, separated by message type', async () => {
    const made = await t.owner.call('POST', eo(`/${ROUTER}`), { name: 'router', version: VERSION, resource: {} });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body.type).toBe(ROUTER);
    const untyped = await t.owner.call('POST', eo(''), { name: 'untyped', version: VERSION, resource: {} });
    expect(untyped.body.details[0].path).toBe('type');
    expect(
      (await t.owner.call('POST', eo(''), { name: 'r2', version: VERSION, type: ROUTER, resource: {} })).status,
    ).toBe(201);
    const listed = await t.owner.call('GET', eo(`/${ROUTER}`));
    expect(listed.body.items.map(({ name }: { name: string }) => name)).toEqual(['r2', 'router']);
    expect((await t.owner.call('GET', eo(`/${HCM}`))).body.items).toEqual([]);
    const url = (type: string) => `${eo(`/${type}/router`)}&version=${VERSION}`;
    expect((await t.owner.call('GET', url(ROUTER))).body.id).toBe(made.body.id);
    expect((await t.owner.call('GET', url(HCM))).status).toBe(404);
    const patched = await t.owner.call('PATCH', url(ROUTER), { resource: { suppress_envoy_headers: true } });
    expect(patched.body).toMatchObject({ revision: 2, resource: { suppress_envoy_headers: true } });
    const retyped = await t.owner.call('PUT', url(ROUTER), { type: HCM, resource: {} });
    expect(retyped.body.code).toBe('document.identity');
    expect((await t.owner.call('DELETE', url(ROUTER))).status).toBe(204);
  });
});

describe('lists of documents', () => {
  it('filter by label, name and text, page by cursor, and never show another version or project', async () => {
    for (const n of [1, 2, 3, 4]) {
      const more = { labels: { n: String(n), all: 'yes' }, description: `number ${n}` };
      await t.owner.call('POST', at('endpoints'), { name: `e${n}`, version: VERSION, resource: {}, ...more });
    }
    const names = async (query: string) =>
      (await t.owner.call('GET', at('endpoints', undefined, query))).body.items.map(
        ({ name }: { name: string }) => name,
      );
    expect(await names('&label=n=2')).toEqual(['e2']);
    expect(await names('&label=n=2&label=all=yes')).toEqual(['e2']);
    expect(await names('&name=e1&name=e4')).toEqual(['e1', 'e4']);
    expect(await names('&q=NUMBER 3')).toEqual(['e3']);
    expect(await names('&sort=-name&limit=2')).toEqual(['e4', 'e3']);
    expect(await names('&version=1.36.4')).toEqual([]);
    const first = await t.owner.call('GET', at('endpoints', undefined, '&limit=3'));
    expect(await names(`&limit=3&cursor=${first.body.next_cursor}`)).toEqual(['e4']);
    const counts = await t.owner.call('GET', `/api/v3/custom/count/all?project=${t.project}`);
    expect(counts.body).toMatchObject({ endpoints: 4, routes: 0, policies: 0 });
  });
});
