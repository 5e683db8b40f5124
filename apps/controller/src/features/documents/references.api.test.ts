import { createId } from '@flotilla/kit';
import { TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../test-controller.ts';

const VERSION = '1.39.3';
const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const COMPRESSOR = 'envoy.extensions.filters.http.compressor.v3.Compressor';
const GZIP = 'envoy.extensions.compression.gzip.compressor.v3.Gzip';

let t: TestController;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
});
afterAll(() => t.close());

const list = (collection: string, project = t.project) => `/api/v3/xds/${collection}?project=${project}`;
const item = (collection: string, name: string, project = t.project) =>
  `/api/v3/xds/${collection}/${encodeURIComponent(name)}?project=${project}&version=${VERSION}`;
const write = (collection: string, name: string, resource: object, more: object = {}) =>
  t.owner.call('POST', list(collection), { name, version: VERSION, resource, ...more });
const document = (collection: string, name: string, resource: object, more: object = {}) => ({
  collection,
  name,
  version: VERSION,
  resource,
  ...more,
});
const apply = (documents: object[], more: object = {}) =>
  t.owner.call('POST', '/api/v3/xds/apply', { project: t.project, documents, ...more });
const routesTo = (...clusters: string[]) => ({
  virtual_hosts: [
    {
      name: 'all',
      domains: ['*'],
      routes: clusters.map((cluster) => ({ match: { prefix: `/${cluster}` }, route: { cluster } })),
    },
  ],
});
const count = async () =>
  (
    await t.database.db
      .selectFrom('documents')
      .select((eb) => eb.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
  ).n;

describe('references', () => {
  it('must exist: a dangling one is refused with its path and what is missing', async () => {
    const answer = await write('routes', 'dangling', routesTo('nowhere'));
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ code: 'reference.missing', missing: 'clusters/nowhere' });
    expect(answer.body.details[0].path).toBe('resource.virtual_hosts[0].routes[0].route.cluster');
    expect((await t.owner.call('GET', item('routes', 'dangling'))).status).toBe(404);
  });

  it('are found in camelCase, in weighted clusters and inside Any alike', async () => {
    const camel = await write('routes', 'x', {
      virtualHosts: [
        {
          name: 'a',
          domains: ['*'],
          routes: [
            { match: { prefix: '/' }, route: { weightedClusters: { clusters: [{ name: 'nowhere', weight: 1 }] } } },
          ],
        },
      ],
    });
    expect(camel.body.missing).toBe('clusters/nowhere');
    const tcp = {
      '@type': 'type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy',
      stat_prefix: 'x',
      cluster: 'nowhere',
    };
    const listener = await write('listeners', 'tcp', {
      address: { socket_address: { address: '127.0.0.1', port_value: 8080 } },
      filter_chains: [{ filters: [{ name: 'tcp', typed_config: tcp }] }],
    });
    expect(listener.body.missing).toBe('clusters/nowhere');
    expect(
      (await write('clusters', 'eds', { type: 'EDS', eds_cluster_config: { eds_config: { ads: {} } } })).body.missing,
    ).toBe('endpoints/eds');
  });

  it('keep what is used from being deleted, and the answer names the users', async () => {
    await write('clusters', 'used', { type: 'STATIC' });
    await write('routes', 'user', routesTo('used'));
    const refused = await t.owner.call('DELETE', item('clusters', 'used'));
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'record.in_use', users: [{ collection: 'routes', name: 'user' }] });
    await t.owner.call('DELETE', item('routes', 'user'));
    expect((await t.owner.call('DELETE', item('clusters', 'used'))).status).toBe(204);
  });

  it('of services keep bootstraps, listeners and policies', async () => {
    await apply([
      document('bootstrap', 'boot', {}),
      document('listeners', 'lis', { address: { socket_address: { address: '0.0.0.0', port_value: 8080 } } }),
    ]);
    const missing = await t.owner.call('POST', `/api/op/services?project=${t.project}`, {
      name: 'svc',
      version: VERSION,
      bootstrap: 'boot',
      listeners: ['lis', 'gone'],
    });
    expect(missing.status).toBe(400);
    expect(missing.body.details[0]).toMatchObject({ path: 'listeners[1]', rule: 'reference.missing' });
    const service = await t.owner.call('POST', `/api/op/services?project=${t.project}`, {
      name: 'svc',
      version: VERSION,
      bootstrap: 'boot',
      listeners: ['lis'],
    });
    expect(service.status).toBe(201);
    for (const [collection, name] of [
      ['bootstrap', 'boot'],
      ['listeners', 'lis'],
    ] as const) {
      const refused = await t.owner.call('DELETE', item(collection, name));
      expect(refused.body.users).toEqual([
        expect.objectContaining({ collection: 'services', name: 'svc', id: service.body.id }),
      ]);
    }
    const dry = await t.owner.call('PUT', `${item('listeners', 'lis')}&dry_run=true`, {
      resource: { address: { socket_address: { address: '0.0.0.0', port_value: 8081 } } },
    });
    expect(dry.body).toMatchObject({ dry_run: true, services: [{ name: 'svc' }] });
    expect(dry.body.diff).toEqual([
      { path: 'resource.address.socket_address.port_value', change: 'changed', before: 8080, after: 8081 },
    ]);
    const graph = await t.owner.call(
      'GET',
      `/api/v3/dependency/lis?project=${t.project}&version=${VERSION}&collection=listeners`,
    );
    expect(graph.body.edges).toEqual([
      expect.objectContaining({ from: 'services/svc', to: 'listeners/lis', kind: 'service' }),
    ]);
    expect((await t.owner.call('DELETE', `/api/op/services/${service.body.id}?project=${t.project}`)).status).toBe(204);
  });

  it('of what is not there are not found; what is in use is called what it is', async () => {
    for (const [collection, kind] of [
      ['virtual_hosts', 'virtual host'],
      ['services', 'service'],
      ['policies', 'policy'],
    ] as const) {
      const query = `project=${t.project}&version=${VERSION}&collection=${collection}`;
      const graph = await t.owner.call('GET', `/api/v3/dependency/never?${query}`);
      expect([graph.status, graph.body.message]).toEqual([404, `There is no ${kind} never in this project.`]);
    }
    await write('clusters', 'needed', { type: 'STATIC' });
    await write('routes', 'needing', routesTo('needed'));
    const refused = await t.owner.call('DELETE', item('clusters', 'needed'));
    expect(refused.body.message).toBe('cluster needed is in use. Remove what uses it first.');
  });

  it('never cross projects', async () => {
    await write('clusters', 'mine', { type: 'STATIC' });
    const other = await t.createProject('other');
    const answer = await t.owner.call('POST', list('routes', other), {
      name: 'r',
      version: VERSION,
      resource: routesTo('mine'),
    });
    expect(answer.body.code).toBe('reference.missing');
    expect((await t.owner.call('GET', item('clusters', 'mine', other))).status).toBe(404);
  });

  it('to static clusters of a bootstrap count, and keep the bootstrap from losing them', async () => {
    await write('bootstrap', 'statics', { static_resources: { clusters: [{ name: 'fixed', type: 'STATIC' }] } });
    expect((await write('routes', 'to-fixed', routesTo('fixed'))).status).toBe(201);
    const refused = await t.owner.call('PUT', item('bootstrap', 'statics'), { resource: {} });
    expect(refused.body).toMatchObject({ code: 'record.in_use', users: [{ name: 'to-fixed' }] });
  });

  it('to what belongs to the controller are refused for owners, too', async () => {
    for (const cluster of ['flotilla_xds', 'flotilla_shield']) {
      const answer = await write('routes', 'spy', routesTo(cluster));
      expect(answer.body.code).toBe('reference.invalid');
      expect((await write('clusters', cluster.replace('_', '_'), { type: 'STATIC' })).status).toBe(400);
    }
  });
});

describe('$ref', () => {
  it('must fit the slot, must exist, and must name a filter or an extension', async () => {
    await write('filters', 'gzip-lib', {}, { type: GZIP });
    const hcm = (filter: object) => ({ stat_prefix: 'x', route_config: {}, http_filters: [filter] });
    const misfit = await write('filters', 'hcm', hcm({ $ref: 'filters/gzip-lib' }), { type: HCM });
    expect(misfit.status).toBe(400);
    expect(misfit.body.details[0]).toMatchObject({ path: 'resource.http_filters[0]', rule: 'reference.slot' });
    expect((await write('filters', 'hcm', hcm({ $ref: 'filters/none' }), { type: HCM })).body.missing).toBe(
      'filters/none',
    );
    expect((await write('filters', 'hcm', hcm({ $ref: 'secrets/none' }), { type: HCM })).body.code).toBe(
      'reference.invalid',
    );
    expect((await write('filters', 'hcm', hcm({ $ref: '../x' }), { type: HCM })).body.code).toBe('reference.invalid');
  });

  it('may not form a circle, also not over two writes', async () => {
    const log = (name: string) => ({
      stat_prefix: 'x',
      route_config: {},
      http_filters: [{ name: 'c', typed_config: { $ref: `filters/${name}` } }],
    });
    const self = await apply([document('filters', 'narcissus', log('narcissus'), { type: HCM })]);
    expect(self.status).toBe(400);
    // A composite of any type may nest: an HTTP filter slot takes only HTTP filters, so the circle goes through matchers.
    const any = (name: string) => ({
      extension_config: { name: 'x', typed_config: { $ref: `extensions/${name}` } },
      xds_matcher: { on_no_match: { action: { name: 'x', typed_config: { $ref: `extensions/${name}` } } } },
    });
    const type = 'envoy.extensions.common.matching.v3.ExtensionWithMatcher';
    await write('extensions', 'leaf', {}, { type: GZIP });
    expect((await write('extensions', 'b', any('leaf'), { type })).status).toBe(201);
    expect((await write('extensions', 'a', any('b'), { type })).status).toBe(201);
    const circle = await t.owner.call('PUT', item('extensions', 'b'), { resource: any('a') });
    expect(circle.body.code).toBe('reference.cycle');
    expect(circle.body.message).toMatch(/extensions\/[ab] -> extensions\/[ab] -> extensions\/[ab]/);
  });

  it('may not grow a bush that explodes when it is put in place', async () => {
    const type = 'envoy.extensions.common.matching.v3.ExtensionWithMatcher';
    const many = (name: string) => ({
      extension_config: { name: 'x', typed_config: { $ref: `extensions/${name}` } },
      xds_matcher: {
        matcher_list: {
          matchers: Array.from({ length: 10 }, () => ({
            predicate: {
              single_predicate: {
                input: { name: 'i', typed_config: { $ref: `extensions/${name}` } },
                value_match: { exact: 'x' },
              },
            },
            on_match: { action: { name: 'x', typed_config: { $ref: `extensions/${name}` } } },
          })),
        },
      },
    });
    const documents = [document('extensions', 'bush-0', {}, { type: GZIP })];
    for (let i = 1; i < 12; i += 1)
      documents.push(document('extensions', `bush-${i}`, many(`bush-${i - 1}`), { type }));
    const answer = await apply(documents);
    expect(answer.status).toBe(400);
    expect(answer.body.code).toBe('reference.invalid');
  });

  it('is found by its user: a filter in use is not deleted', async () => {
    await write('extensions', 'gz', {}, { type: GZIP });
    const made = await write(
      'filters',
      'compress',
      { compressor_library: { $ref: 'extensions/gz' } },
      { type: COMPRESSOR },
    );
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect((await t.owner.call('DELETE', item('extensions', 'gz'))).body.users[0].name).toBe('compress');
  });
});

describe('apply', () => {
  it('writes documents in any order, all together, with one audit record', async () => {
    const answer = await apply([
      document('routes', 'first', routesTo('later')),
      document('clusters', 'later', { type: 'STATIC' }),
    ]);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['created', 'created']);
    const again = await apply([
      document('routes', 'first', routesTo('later')),
      document('clusters', 'later', { type: 'STATIC' }),
    ]);
    expect(again.body.results.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['unchanged', 'unchanged']);
    const records = await t.database.db
      .selectFrom('audit_log')
      .selectAll()
      .where('action', '=', 'document.apply')
      .orderBy('id')
      .execute();
    expect(records.at(-2)?.changes).toMatchObject({ documents: [{ name: 'first' }, { name: 'later' }] });
  });

  it('changes nothing when one of 500 is bad, and says which', async () => {
    const before = await count();
    const documents = Array.from({ length: 500 }, (_, i) => document('clusters', `many-${i}`, { type: 'STATIC' }));
    documents[311] = document('clusters', 'many-311', { type: 'NO_SUCH_TYPE' });
    const answer = await apply(documents);
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path).toBe('documents[311].resource.type');
    expect(answer.body.errors).toHaveLength(1);
    expect(await count()).toBe(before);
    documents[311] = document('clusters', 'many-311', { type: 'STATIC' });
    expect((await apply(documents)).status).toBe(200);
    expect(await count()).toBe(before + 500);
  });

  it('reports every bad document at once', async () => {
    const answer = await apply([
      document('clusters', 'ok', { type: 'STATIC' }),
      document('clusters', 'bad-1', { nope: 1 }),
      document('routes', 'bad-2', { name: 'else', virtual_hosts: [] }),
    ]);
    expect(answer.body).toMatchObject({ code: 'document.batch_refused' });
    expect(answer.body.errors.map(({ name, code }: { name: string; code: string }) => [name, code])).toEqual([
      ['bad-1', 'document.invalid'],
      ['bad-2', 'document.name_mismatch'],
    ]);
  });

  it('deletes, prunes by label, and keeps to expected revisions', async () => {
    const labels = { app: 'shop' };
    await apply([
      document('clusters', 'keep', { type: 'STATIC' }, { labels }),
      document('clusters', 'drop', { type: 'STATIC' }, { labels }),
    ]);
    const dry = await t.owner.call('POST', '/api/v3/xds/apply?dry_run=true', {
      project: t.project,
      documents: [document('clusters', 'keep', { type: 'STATIC' }, { labels })],
      prune: { version: VERSION, labels },
    });
    expect(dry.body).toMatchObject({
      dry_run: true,
      results: [
        { name: 'keep', outcome: 'unchanged' },
        { name: 'drop', outcome: 'deleted' },
      ],
    });
    expect((await t.owner.call('GET', item('clusters', 'drop'))).status).toBe(200);
    await apply([document('clusters', 'keep', { type: 'STATIC' }, { labels })], {
      prune: { version: VERSION, labels },
    });
    expect((await t.owner.call('GET', item('clusters', 'drop'))).status).toBe(404);
    expect((await apply([document('clusters', 'keep', { type: 'STATIC' }, { revision: 9 })])).body.code).toBe(
      'record.stale',
    );
    expect((await apply([document('clusters', 'keep', { type: 'STATIC' }, { revision: 0 })])).body.code).toBe(
      'record.stale',
    );
    const { id, revision } = (await t.owner.call('GET', item('clusters', 'keep'))).body;
    const drop = (more: object) =>
      apply([], { delete: [{ collection: 'clusters', name: 'keep', version: VERSION, ...more }] });
    const stale = { code: 'record.stale', errors: [{ path: 'delete[0]', name: 'keep', code: 'record.stale' }] };
    expect((await drop({ id, revision: revision + 1 })).body).toMatchObject(stale);
    expect((await drop({ id: t.project, revision })).body).toMatchObject(stale);
    const removed = await drop({ id, revision });
    expect(removed.body.results).toEqual([expect.objectContaining({ outcome: 'deleted' })]);
  });
});

describe('races', () => {
  it('never let a reference appear while its target goes', async () => {
    for (let round = 0; round < 25; round += 1) {
      const name = `race-${round}`;
      await write('clusters', name, { type: 'STATIC' });
      const [reference, removal] = await Promise.all([
        write('routes', name, routesTo(name)),
        t.owner.call('DELETE', item('clusters', name)),
      ]);
      const outcome = [reference.status, removal.status];
      expect([
        [201, 409],
        [409, 204],
      ]).toContainEqual(outcome);
    }
  });

  it('let one of two writers with the same If-Match win', async () => {
    await write('clusters', 'contested', { type: 'STATIC' });
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        t.owner.call(
          'PUT',
          item('clusters', 'contested'),
          { resource: { type: 'STATIC', connect_timeout: `${i + 1}s` } },
          { 'if-match': '"1"' },
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(7);
  });

  it('let one of two creators win', async () => {
    const name = `twin-${createId().slice(-6)}`;
    const answers = await Promise.all([1, 2, 3].map(() => write('clusters', name, { type: 'STATIC' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  });
});

describe('restore', () => {
  it('of a revision whose references are gone is refused', async () => {
    await apply([document('clusters', 'old', { type: 'STATIC' }), document('routes', 'restored', routesTo('old'))]);
    await t.owner.call('PUT', item('routes', 'restored'), { resource: { virtual_hosts: [] } });
    await t.owner.call('DELETE', item('clusters', 'old'));
    const answer = await t.owner.call('POST', item('routes', 'restored').replace('?', '/restore?'), { revision: 1 });
    expect(answer.body).toMatchObject({ code: 'reference.missing', missing: 'clusters/old' });
  });
});

describe('sources of configuration', () => {
  it('may be left out: everything comes over ADS', async () => {
    await apply([document('routes', 'sourced', { virtual_hosts: [] })]);
    const manager = { stat_prefix: 'x', rds: { route_config_name: 'sourced' }, http_filters: [] };
    const made = await write('filters', 'sourced', manager, { type: HCM });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body.resource.rds).toEqual({
      route_config_name: 'sourced',
      config_source: { ads: {}, resource_api_version: 'V3' },
    });
  });

  it('and unknown messages are refused by name', async () => {
    const answer = await write('extensions', 'x', {}, { type: 'envoy.extensions.no.such.v3.Thing' });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('envoy.extensions.no.such.v3.Thing');
  });
});

describe('virtual hosts', () => {
  it('belong to their route configuration and are named with a slash', async () => {
    await write('routes', 'site', { virtual_hosts: [] });
    const orphan = await write('virtual_hosts', 'nowhere/www.example.com', { domains: ['www.example.com'] });
    expect(orphan.body.missing).toBe('routes/nowhere');
    const made = await write('virtual_hosts', 'site/www.example.com', { domains: ['www.example.com'] });
    expect(made.body).toMatchObject({ name: 'site/www.example.com', resource: { name: 'www.example.com' } });
    expect((await t.owner.call('GET', item('virtual_hosts', 'site/www.example.com'))).status).toBe(200);
    expect((await t.owner.call('DELETE', item('routes', 'site'))).body.users[0].name).toBe('site/www.example.com');
    expect((await write('clusters', 'a/b', { type: 'STATIC' })).status).toBe(400);
  });
});
