import { TEST_ENVOY_CACHE_DIR } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import {
  type DocumentCalls,
  document,
  documentCallsOf,
  HTTP_CONNECTION_MANAGER,
  routesTo,
  VERSION,
} from './testing/documents.ts';

let t: TestController;
let calls: DocumentCalls;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  calls = documentCallsOf(t);
});
afterAll(() => t.close());

describe('references of documents', () => {
  it('must exist: a dangling one is refused with its path and its target', async () => {
    const answer = await calls.write('routes', 'dangling', routesTo('nowhere'));
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ code: 'reference.missing', missing: 'clusters/nowhere' });
    expect(answer.body.details[0].path).toBe('resource.virtual_hosts[0].routes[0].route.cluster');
    expect((await t.owner.call('GET', calls.item('routes', 'dangling'))).status).toBe(404);
  });

  it('are found in camelCase, in weighted clusters and inside Any', async () => {
    const camel = await calls.write('routes', 'x', {
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
    const listener = await calls.write('listeners', 'tcp', {
      address: { socket_address: { address: '127.0.0.1', port_value: 8080 } },
      filter_chains: [{ filters: [{ name: 'tcp', typed_config: tcp }] }],
    });
    expect(listener.body.missing).toBe('clusters/nowhere');
    expect(
      (await calls.write('clusters', 'eds', { type: 'EDS', eds_cluster_config: { eds_config: { ads: {} } } })).body
        .missing,
    ).toBe('endpoints/eds');
  });

  it('protect their targets from deletion, and the answer names the users', async () => {
    await calls.write('clusters', 'used', { type: 'STATIC' });
    await calls.write('routes', 'user', routesTo('used'));
    const refused = await t.owner.call('DELETE', calls.item('clusters', 'used'));
    expect(refused.status).toBe(409);
    expect(refused.body).toMatchObject({ code: 'record.in_use', users: [{ collection: 'routes', name: 'user' }] });
    await t.owner.call('DELETE', calls.item('routes', 'user'));
    expect((await t.owner.call('DELETE', calls.item('clusters', 'used'))).status).toBe(204);
  });

  it('of services protect bootstraps, listeners and policies', async () => {
    await calls.apply([
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
      const refused = await t.owner.call('DELETE', calls.item(collection, name));
      expect(refused.body.users).toEqual([
        expect.objectContaining({ collection: 'services', name: 'svc', id: service.body.id }),
      ]);
    }
    const dry = await t.owner.call('PUT', `${calls.item('listeners', 'lis')}&dry_run=true`, {
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

  it('are truncated if there are too many, keeping those of the requested document', async () => {
    await calls.write('clusters', 'hub', { type: 'STATIC' });
    const routes = Array.from({ length: 5001 }, (_, n) => ({ match: { prefix: `/${n}` }, route: { cluster: 'hub' } }));
    await calls.write('routes', 'a-wide', { virtual_hosts: [{ name: 'a', domains: ['*'], routes }] });
    await calls.write('listeners', 'z-front', {
      address: { socket_address: { address: '127.0.0.1', port_value: 8080 } },
      filter_chains: [
        {
          filters: [
            {
              name: 'http',
              typed_config: {
                '@type': `type.googleapis.com/${HTTP_CONNECTION_MANAGER}`,
                stat_prefix: 'x',
                rds: { config_source: { ads: {} }, route_config_name: 'a-wide' },
              },
            },
          ],
        },
      ],
    });
    const readGraph = async (collection: string, name: string) => {
      const query = `project=${t.project}&version=${VERSION}&collection=${collection}`;
      const { body } = await t.owner.call('GET', `/api/v3/dependency/${name}?${query}`);
      return { edges: body.edges.length, truncated: body.truncated, first: body.edges[0].from };
    };
    expect(await readGraph('clusters', 'hub')).toEqual({ edges: 5000, truncated: true, first: 'routes/a-wide' });
    // By name alone it would come last.
    expect(await readGraph('listeners', 'z-front')).toEqual({
      edges: 5000,
      truncated: true,
      first: 'listeners/z-front',
    });
    await t.owner.call('PUT', calls.item('routes', 'a-wide'), { resource: routesTo('hub') });
    expect(await readGraph('clusters', 'hub')).toEqual({ edges: 2, truncated: false, first: 'routes/a-wide' });
  });

  it('of an unknown document are not found, and a missing target is shown with its users', async () => {
    for (const [collection, kind] of [
      ['virtual_hosts', 'virtual host'],
      ['services', 'service'],
      ['policies', 'policy'],
    ] as const) {
      const query = `project=${t.project}&version=${VERSION}&collection=${collection}`;
      const graph = await t.owner.call('GET', `/api/v3/dependency/never?${query}`);
      const message =
        kind === 'service' || kind === 'policy'
          ? `There is no ${kind} never in this project.`
          : `There is no ${kind} never for Envoy ${VERSION} in this project.`;
      expect([graph.status, graph.body.message]).toEqual([404, message]);
    }
    await calls.write('clusters', 'needed', { type: 'STATIC' });
    await calls.write('routes', 'needing', routesTo('needed'));
    const refused = await t.owner.call('DELETE', calls.item('clusters', 'needed'));
    expect(refused.body.message).toBe('cluster needed is in use. Remove what uses it first.');
  });

  it('never cross projects', async () => {
    await calls.write('clusters', 'mine', { type: 'STATIC' });
    const other = await t.createProject('other');
    const answer = await t.owner.call('POST', calls.list('routes', other), {
      name: 'r',
      version: VERSION,
      resource: routesTo('mine'),
    });
    expect(answer.body.code).toBe('reference.missing');
    expect((await t.owner.call('GET', calls.item('clusters', 'mine', other))).status).toBe(404);
  });

  it('to static clusters of a bootstrap count, and protect these clusters', async () => {
    await calls.write('bootstrap', 'statics', { static_resources: { clusters: [{ name: 'fixed', type: 'STATIC' }] } });
    expect((await calls.write('routes', 'to-fixed', routesTo('fixed'))).status).toBe(201);
    const refused = await t.owner.call('PUT', calls.item('bootstrap', 'statics'), { resource: {} });
    expect(refused.body).toMatchObject({ code: 'record.in_use', users: [{ name: 'to-fixed' }] });
  });

  it('to objects of the controller are refused even to owners', async () => {
    for (const cluster of ['flotilla_xds', 'flotilla_shield']) {
      const answer = await calls.write('routes', 'spy', routesTo(cluster));
      expect(answer.body.code).toBe('reference.invalid');
      expect((await calls.write('clusters', cluster, { type: 'STATIC' })).status).toBe(400);
    }
  });
});

describe('restoring a document', () => {
  it('is refused for a revision whose references no longer exist', async () => {
    await calls.apply([
      document('clusters', 'old', { type: 'STATIC' }),
      document('routes', 'restored', routesTo('old')),
    ]);
    await t.owner.call('PUT', calls.item('routes', 'restored'), { resource: { virtual_hosts: [] } });
    await t.owner.call('DELETE', calls.item('clusters', 'old'));
    const answer = await t.owner.call('POST', calls.item('routes', 'restored').replace('?', '/restore?'), {
      revision: 1,
    });
    expect(answer.body).toMatchObject({ code: 'reference.missing', missing: 'clusters/old' });
  });
});

describe('sources of configuration', () => {
  it('may be omitted, because everything comes over ADS', async () => {
    await calls.apply([document('routes', 'sourced', { virtual_hosts: [] })]);
    const manager = { stat_prefix: 'x', rds: { route_config_name: 'sourced' }, http_filters: [] };
    const made = await calls.write('filters', 'sourced', manager, { type: HTTP_CONNECTION_MANAGER });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body.resource.rds).toEqual({
      route_config_name: 'sourced',
      config_source: { ads: {}, resource_api_version: 'V3' },
    });
  });

  it('and unknown messages are refused by name', async () => {
    const answer = await calls.write('extensions', 'x', {}, { type: 'envoy.extensions.no.such.v3.Thing' });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('envoy.extensions.no.such.v3.Thing');
  });
});

describe('virtual hosts', () => {
  it('belong to their route configuration and are named with a slash', async () => {
    await calls.write('routes', 'site', { virtual_hosts: [] });
    const orphan = await calls.write('virtual_hosts', 'nowhere/www.example.com', { domains: ['www.example.com'] });
    expect(orphan.body.missing).toBe('routes/nowhere');
    const made = await calls.write('virtual_hosts', 'site/www.example.com', { domains: ['www.example.com'] });
    expect(made.body).toMatchObject({ name: 'site/www.example.com', resource: { name: 'www.example.com' } });
    expect((await t.owner.call('GET', calls.item('virtual_hosts', 'site/www.example.com'))).status).toBe(200);
    expect((await t.owner.call('DELETE', calls.item('routes', 'site'))).body.users[0].name).toBe(
      'site/www.example.com',
    );
    expect((await calls.write('clusters', 'a/b', { type: 'STATIC' })).status).toBe(400);
  });
});
