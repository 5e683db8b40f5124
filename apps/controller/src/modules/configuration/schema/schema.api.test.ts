import type { StarterQuestionKind } from '@flotilla/contract';
import { TEST_ENVOY_CACHE_DIR, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestCaller, type TestController } from '../../../testing/controller.ts';

const VERSION = TEST_ENVOY_VERSIONS.newest;
const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const CLUSTER = 'envoy.config.cluster.v3.Cluster';
const ROUTER = 'envoy.extensions.filters.http.router.v3.Router';
/** The first answer for a form must stay small: bytes of JSON before compression. */
const HCM_BYTES_MAX = 400_000;

let t: TestController;
let viewer: TestCaller;
let outsider: TestCaller;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  viewer = await t.createMember('viewer');
  outsider = await t.createMember('owner', await t.createProject('other'));
  const documents = [
    { collection: 'clusters', name: 'backend', resource: { type: 'STATIC' } },
    { collection: 'filters', name: 'router', type: ROUTER, resource: {} },
    { collection: 'filters', name: 'cors', type: 'envoy.extensions.filters.http.cors.v3.Cors', resource: {} },
    {
      collection: 'extensions',
      name: 'log',
      type: 'envoy.extensions.access_loggers.file.v3.FileAccessLog',
      resource: { path: 'files/a.log' },
    },
    {
      collection: 'bootstrap',
      name: 'main',
      resource: { static_resources: { clusters: [{ name: 'inside', type: 'STATIC' }] } },
    },
    {
      collection: 'secrets',
      name: 'key',
      resource: {
        tls_certificate: { certificate_chain: { inline_string: 'c' }, private_key: { inline_string: 'hidden' } },
      },
    },
  ].map((document) => ({ ...document, version: VERSION }));
  const applied = await t.owner.call('POST', '/api/v3/xds/apply', { project: t.project, documents });
  expect(applied.status, JSON.stringify(applied.body)).toBe(200);
});
afterAll(() => t.close());

const messages = (type: string, more = '', caller = viewer, headers?: Record<string, string>) =>
  caller.call('GET', `/api/v3/schema/messages?version=${VERSION}&type=${type}${more}`, undefined, headers);

describe('the messages of a version', () => {
  it('contain everything that a form needs to open, and are small enough to open fast', async () => {
    const { status, body } = await messages(HCM);
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: VERSION, source: 'binary', complete: true });
    expect(JSON.stringify(body).length).toBeLessThan(HCM_BYTES_MAX);
    const manager = body.messages[HCM];
    expect(manager).toMatchObject({ type_name: HCM, sorted: true, deprecated: false });
    expect(manager.docs_url).toContain(`/v${VERSION}/`);
    expect(manager.fields.slice(0, 2).map(({ name }: { name: string }) => name)).toEqual(['stat_prefix', 'rds']);
    const field = (name: string) => manager.fields.find((one: { name: string }) => one.name === name);
    expect(field('stat_prefix')).toMatchObject({ required: true, common: true, shape: 'singular' });
    expect(field('stat_prefix').hint).toMatch(/\.$/);
    expect(field('http_filters')).toMatchObject({ shape: 'list', slot: 'envoy.filters.http' });
    expect(field('stream_idle_timeout').value).toMatchObject({ kind: 'message', well_known: 'duration' });
    expect(field('codec_type').value).toMatchObject({ kind: 'enum' });
    expect(field('rds')).toMatchObject({ oneof: 'route_specifier' });
    const rds = body.messages['envoy.extensions.filters.network.http_connection_manager.v3.Rds'];
    expect(rds.fields.find((one: { name: string }) => one.name === 'route_config_name').refers_to).toBe('routes');
  });

  it('are limited by the depth', async () => {
    const counts: number[] = [];
    for (const depth of [0, 1, 2, 3, 4]) {
      const { body } = await messages(CLUSTER, `&depth=${depth}`);
      counts.push(Object.keys(body.messages).length);
      expect(Object.keys(body.messages)[0]).toBe(CLUSTER);
    }
    expect(counts[0]).toBe(1);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts[4]).toBeLessThanOrEqual(400);
  });

  it('say which text names a document of which collection', async () => {
    const { body } = await messages('envoy.config.route.v3.RouteAction', '&depth=0');
    const { fields } = body.messages['envoy.config.route.v3.RouteAction'];
    expect(fields.find((one: { name: string }) => one.name === 'cluster').refers_to).toBe('clusters');
    const eds = await messages('envoy.config.cluster.v3.Cluster.EdsClusterConfig', '&depth=0');
    const [own] = Object.values<{ fields: { name: string; refers_to?: string }[] }>(eds.body.messages);
    expect(own?.fields.find(({ name }) => name === 'service_name')?.refers_to).toBe('endpoints');
  });

  it('are not sent again to a caller who has them', async () => {
    const first = await messages(HCM);
    const etag = String(first.headers.etag);
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    expect(first.headers['cache-control']).toBe('private, max-age=86400');
    const again = await messages(HCM, '', viewer, { 'if-none-match': etag });
    expect(again.status).toBe(304);
    expect((await messages(HCM, '&depth=1')).headers.etag).not.toBe(etag);
  });

  it('are refused with a hint for an unknown version or type', async () => {
    const version = await viewer.call('GET', `/api/v3/schema/messages?version=0.0.1&type=${HCM}`);
    expect([version.status, version.body.code]).toEqual([400, 'version.unknown']);
    expect(version.body.message).toContain('Known versions: ');
    const type = await messages('envoy.config.cluster.v3.Clustr');
    expect([type.status, type.body.code]).toEqual([404, 'message.unknown']);
    expect(type.body.message).toContain('envoy.config.cluster.v3.Cluster');
  });

  it('cannot be requested without a limit', async () => {
    for (const depth of ['5', '-1', '1e9', '2.5', 'NaN']) {
      expect((await messages(HCM, `&depth=${depth}`)).status, depth).toBe(400);
    }
    expect((await messages('__proto__.constructor')).status).toBe(400);
    expect((await messages('x.__proto__')).status).toBe(404);
  });
});

describe('the catalogue of extensions', () => {
  it('lists the extensions of a slot, or all of them', async () => {
    const list = async (slot = '') => {
      const { status, body } = await viewer.call('GET', `/api/v3/schema/extensions?version=${VERSION}${slot}`);
      expect(status).toBe(200);
      return body.items as { name: string; type: string; category: string; docs_url: string }[];
    };
    const http = await list('&slot=envoy.filters.http');
    expect(new Set(http.map(({ category }) => category))).toEqual(new Set(['envoy.filters.http']));
    expect(http.map(({ type }) => type)).toContain(ROUTER);
    expect(http[0]?.docs_url).toContain('https://');
    expect((await list()).length).toBeGreaterThan(300);
    expect((await list('&slot=*')).length).toBe((await list()).length);
    expect(await list('&slot=no.such_slot')).toEqual([]);
  });
});

describe('a check of a document that is being edited', () => {
  const check = async (body: object, caller = viewer) =>
    caller.call('POST', '/api/v3/schema/check', { project: t.project, version: VERSION, ...body });

  it('reports what Envoy would refuse, with paths inside the resource, and stores nothing', async () => {
    const { status, body } = await check({
      collection: 'clusters',
      name: 'new',
      resource: { connect_timeout: '-1s', lb_policy: 'NONE', load_assignment: { endpoints: [] } },
    });
    expect(status).toBe(200);
    const paths = body.errors.map(({ path }: { path: string }) => path);
    expect(paths).toContain('lb_policy');
    expect(paths).toContain('load_assignment.cluster_name');
    const listed = await t.owner.call('GET', `/api/v3/xds/clusters?project=${t.project}`);
    expect(listed.body.items.map(({ name }: { name: string }) => name)).toEqual(['backend']);
    const audit = await t.owner.call('GET', `/api/v3/audit?project=${t.project}`);
    expect(JSON.stringify(audit.body)).not.toContain('schema');
  });

  it('reports which references have a target', async () => {
    const route = (cluster: string) => ({ match: { prefix: `/${cluster}` }, route: { cluster } });
    const { body } = await check({
      collection: 'routes',
      name: 'main',
      resource: {
        virtual_hosts: [{ name: 'a', domains: ['*'], routes: ['backend', 'inside', 'gone'].map(route) }],
      },
    });
    expect(body.errors).toEqual([]);
    expect(body.references.map(({ name, missing }: { name: string; missing: boolean }) => [name, missing])).toEqual([
      ['backend', false],
      ['inside', false],
      ['gone', true],
    ]);
    expect(body.references[2].path).toBe('virtual_hosts[0].routes[2].route.cluster');
  });

  it('applies the rules of collections and the restrictions to owners', async () => {
    const named = { collection: 'clusters', name: 'flotilla_x', resource: { type: 'STATIC' } };
    expect((await check(named)).body.errors[0]).toMatchObject({ path: 'name', rule: 'reserved' });
    const file = {
      collection: 'extensions',
      name: 'log',
      type: 'envoy.extensions.access_loggers.file.v3.FileAccessLog',
      resource: { path: '/etc/shadow' },
    };
    expect((await check(file)).body.errors.length).toBeGreaterThan(0);
    expect((await check(file)).body.errors[0].path).toBe('path');
    expect((await check(file, t.owner)).body.errors).toEqual([]);
  });

  it('counts stored private values as present', async () => {
    const shown = await t.owner.call('GET', `/api/v3/xds/secrets/key?project=${t.project}&version=${VERSION}`);
    const { body } = await check({ collection: 'secrets', name: 'key', resource: shown.body.resource });
    expect(body.errors).toEqual([]);
    expect(JSON.stringify(body)).not.toContain('hidden');
  });

  it('needs a known type if the collection does not define it', async () => {
    expect((await check({ collection: 'filters', resource: {} })).status).toBe(400);
    const unknown = await check({ type: 'envoy.no.Such', resource: {} });
    expect(unknown.body.errors[0].rule).toBe('unknown_message');
    expect((await check({ type: ROUTER, resource: {} })).body).toEqual({ errors: [], warnings: [], references: [] });
  });

  it('survives any depth of nesting', async () => {
    for (const depth of [90, 5_000, 200_000]) {
      for (const [open, close] of [
        ['{"routes":[', ']}'],
        ['{"metadata":{"filter_metadata":{"a":', '}}}'],
        ['{"$ref":', '}'],
      ]) {
        const resource = `{"virtual_hosts":[${open?.repeat(depth)}1${close?.repeat(depth)}]}`;
        const answer = await t.app.inject({
          method: 'POST',
          url: '/api/v3/schema/check',
          headers: { authorization: `Bearer ${viewer.token}`, 'content-type': 'application/json' },
          payload: `{"project":"${t.project}","version":"${VERSION}","collection":"routes","name":"r","resource":${resource}}`,
        });
        expect([200, 400, 413], `${open} ${depth}: ${answer.body.slice(0, 200)}`).toContain(answer.statusCode);
      }
    }
  });

  it('is for members of the project only', async () => {
    const refused = await check({ type: ROUTER, resource: {} }, outsider);
    expect([refused.status, refused.body.code]).toEqual([403, 'project.forbidden']);
  });
});

describe('candidates for a place', () => {
  const candidates = async (query: string, caller = viewer) =>
    caller.call('GET', `/api/v3/schema/candidates?project=${t.project}&version=${VERSION}&${query}`);
  const refs = async (query: string) => {
    const { status, body } = await candidates(query);
    expect(status, JSON.stringify(body)).toBe(200);
    return body.items.map(({ ref }: { ref: string }) => ref);
  };

  it('match its slot or type', async () => {
    expect(await refs('slot=envoy.filters.http')).toEqual(['filters/cors', 'filters/router']);
    expect(await refs('slot=envoy.access_loggers')).toEqual(['extensions/log']);
    expect(await refs(`type=${ROUTER}`)).toEqual(['filters/router']);
    expect(await refs('slot=*')).toEqual(['filters/cors', 'extensions/log', 'filters/router']);
    expect(await refs('slot=envoy.filters.http&q=ROU')).toEqual(['filters/router']);
  });

  it('of a collection have their plain names, including static ones of bootstraps', async () => {
    expect(await refs('collection=clusters')).toEqual(['backend', 'inside']);
    expect(await refs('collection=secrets')).toEqual(['key']);
    expect((await candidates('collection=secrets')).body.items).toMatchObject([{ content: 'tls_certificate' }]);
    const first = await candidates('collection=clusters&limit=1');
    expect(first.body).toMatchObject({ truncated: true, items: [{ name: 'backend', type: CLUSTER }] });
  });

  it("belong to the caller's own project", async () => {
    expect((await candidates('collection=clusters', outsider)).status).toBe(403);
  });
});

/** Reads `a.b[0].c`. */
const at = (resource: unknown, path: string) =>
  path
    .split(/[.[\]]+/)
    .filter((key) => key !== '')
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], resource);

/** Whether the place of the answer has an example of it, which the answer replaces. */
function isAnswer(kind: StarterQuestionKind, value: unknown, name: string): boolean {
  switch (kind) {
    case 'name':
      return value === name;
    case 'port':
      return typeof value === 'number';
    case 'count':
      return Number(value) > 0;
    case 'addresses':
    case 'ip_addresses':
    case 'domains':
      return Array.isArray(value) && value.length > 0;
    case 'certificate_pem':
    case 'private_key_pem':
      return typeof value === 'object' && value !== null;
    default:
      return typeof value === 'string' && value !== '';
  }
}

describe('starter documents', () => {
  it('exist for every collection and can be stored unchanged', async () => {
    const { body } = await viewer.call('GET', `/api/v3/schema/starters?version=${VERSION}`);
    const { COLLECTIONS } = await import('@flotilla/contract');
    const collections = new Set(body.items.map(({ collection }: { collection: string }) => collection));
    expect([...COLLECTIONS].filter((collection) => !collections.has(collection))).toEqual([]);
    for (const { collection, name, type, resource, id, questions } of body.items) {
      expect(questions[0], id).toMatchObject({ kind: 'name' });
      for (const { kind, paths } of questions)
        for (const path of paths) expect(isAnswer(kind, at(resource, path), name), `${id} ${path}`).toBe(true);
      const checked = await viewer.call('POST', '/api/v3/schema/check', {
        ...{ project: t.project, version: VERSION, collection, name, type, resource },
      });
      expect(checked.body.errors, id).toEqual([]);
    }
    const some = await viewer.call('GET', `/api/v3/schema/starters?version=${VERSION}&collection=routes`);
    expect(some.body.items.length).toBeGreaterThan(1);
    expect(some.body.items.every(({ collection }: { collection: string }) => collection === 'routes')).toBe(true);
  });
});
