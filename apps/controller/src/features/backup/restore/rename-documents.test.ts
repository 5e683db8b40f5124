import { COLLECTIONS, type Collection } from '@flotilla/contract';
import { type EnvoyApi, loadEnvoyApi } from '@flotilla/envoy-api';
import { beforeAll, expect, it } from 'vitest';
import { renameDocument, whyNotRenamable } from './rename-documents.ts';

const VERSION = '1.39.3';
let api: EnvoyApi;
beforeAll(async () => {
  api = await loadEnvoyApi({ version: VERSION });
});

/** Everything by another name. */
const ALL = new Map(COLLECTIONS.map((collection) => [`${collection}/a`, 'b'] as const));

function rename(
  collection: Collection,
  resource: Record<string, unknown>,
  names: ReadonlyMap<string, string> = ALL,
  name = 'x',
) {
  return renameDocument(api, { collection, name, version: VERSION, resource }, names);
}

const TLS = 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext';

it('names in every kind of place follow, and nothing else does', () => {
  const host = {
    name: 'a',
    domains: ['a'],
    routes: [
      {
        match: { prefix: '/a' },
        route: { cluster: 'a', request_mirror_policies: [{ cluster: 'a' }, { cluster: 'c' }] },
      },
      {
        match: { prefix: '/' },
        route: {
          weighted_clusters: {
            clusters: [
              { name: 'a', weight: 1 },
              { name: 'c', weight: 2 },
            ],
          },
        },
      },
      { name: 'a', match: { prefix: '/' }, redirect: { host_redirect: 'a' } },
    ],
  };
  expect(rename('routes', { name: 'x', virtual_hosts: [host] }).resource).toEqual({
    name: 'x',
    virtual_hosts: [
      {
        ...host,
        routes: [
          {
            match: { prefix: '/a' },
            route: { cluster: 'b', request_mirror_policies: [{ cluster: 'b' }, { cluster: 'c' }] },
          },
          {
            match: { prefix: '/' },
            route: {
              weighted_clusters: {
                clusters: [
                  { name: 'b', weight: 1 },
                  { name: 'c', weight: 2 },
                ],
              },
            },
          },
          host.routes[2],
        ],
      },
    ],
  });
});

it('names within messages of any type follow: secrets, lists of clusters, references to extensions', () => {
  const secret = {
    name: 'x',
    transport_socket: {
      name: 'a',
      typed_config: { '@type': TLS, common_tls_context: { tls_certificate_sds_secret_configs: [{ name: 'a' }] } },
    },
  };
  expect(JSON.stringify(rename('clusters', secret).resource)).toBe(
    JSON.stringify(secret).replace('[{"name":"a"}]', '[{"name":"b"}]'),
  );
  const extension = { name: 'x', typed_extension_protocol_options: { a: { $ref: 'extensions/a' } } };
  expect(rename('clusters', extension).resource).toMatchObject({
    typed_extension_protocol_options: { a: { $ref: 'extensions/b' } },
  });
  const listed = { dynamic_resources: { ads_config: { api_type: 'GRPC', cluster_names: ['c', 'a'] } } };
  expect(rename('bootstrap', listed).resource).toMatchObject({
    dynamic_resources: { ads_config: { cluster_names: ['c', 'b'] } },
  });
});

it('a cluster that gets its endpoints by its own name still gets them when that changes', () => {
  const eds = { name: 'a', type: 'EDS' };
  const only = (...keys: string[]) => new Map(keys.map((key) => [key, 'b']));
  expect(rename('clusters', eds, only('clusters/a'), 'a').resource).toEqual({
    name: 'b',
    type: 'EDS',
    eds_cluster_config: { service_name: 'a' },
  });
  expect(rename('clusters', eds, only('endpoints/a'), 'a').resource).toEqual({
    ...eds,
    eds_cluster_config: { service_name: 'b' },
  });
  const named = { ...eds, eds_cluster_config: { service_name: 'a', eds_config: { ads: {} } } };
  expect(rename('clusters', named, only('clusters/a', 'endpoints/a'), 'a').resource).toMatchObject({
    name: 'b',
    eds_cluster_config: { service_name: 'b', eds_config: { ads: {} } },
  });
  expect(rename('endpoints', { cluster_name: 'a' }, only('endpoints/a'), 'a').resource).toEqual({ cluster_name: 'b' });
});

it('clusters that a bootstrap defines itself are not those of the project by the same name', () => {
  const statics = { clusters: [{ name: 'a' }], listeners: [] };
  const admin = {
    static_resources: statics,
    stats_sinks: [],
    tracing: {
      http: {
        name: 'zipkin',
        typed_config: {
          '@type': 'type.googleapis.com/envoy.config.trace.v3.ZipkinConfig',
          collector_cluster: 'a',
          collector_endpoint: '/',
        },
      },
    },
  };
  expect(rename('bootstrap', admin).resource).toEqual(admin);
});

it('addresses of internal listeners follow, in every place that takes an address', () => {
  const at = (listener: string, more = {}) => ({
    envoy_internal_address: { server_listener_name: listener, ...more },
  });
  const endpoints = (hop: string) => ({
    cluster_name: 'x',
    endpoints: [
      {
        lb_endpoints: [hop, 'c'].map((name) => ({
          endpoint: {
            address: at(name, { endpoint_id: 'a' }),
            additional_addresses: [{ address: at(name) }],
            health_check_config: { address: at(name) },
          },
        })),
      },
    ],
  });
  expect(rename('endpoints', endpoints('a')).resource).toEqual(endpoints('b'));
  expect(rename('endpoints', endpoints('a'), new Map([['clusters/a', 'b']])).resource).toEqual(endpoints('a'));
  const cluster = (hop: string) => ({ name: 'x', load_assignment: endpoints(hop) });
  expect(rename('clusters', cluster('a')).resource).toEqual(cluster('b'));
  const statics = (name: string, hop: string) => ({
    static_resources: { clusters: [cluster(hop)], listeners: [{ name, internal_listener: {} }] },
  });
  expect(rename('bootstrap', statics('c', 'a')).resource).toEqual(statics('c', 'b'));
  expect(rename('bootstrap', statics('a', 'a')).resource).toEqual(statics('a', 'a'));
});

it('a document that nothing of this concerns stays the very same, and so does what Envoy does not know', () => {
  const body = { collection: 'routes', name: 'x', version: VERSION, resource: { name: 'x' } } as const;
  expect(renameDocument(api, body, ALL)).toBe(body);
  const unknown = {
    collection: 'extensions',
    name: 'x',
    version: VERSION,
    type: 'envoy.nothing.v9.Message',
    resource: { cluster: 'a' },
  } as const;
  expect(renameDocument(api, unknown, ALL)).toBe(unknown);
});

it('a document of a foreign hand is read by both spellings of its fields', () => {
  const camel = {
    name: 'x',
    virtualHosts: [
      {
        name: 'v',
        domains: ['*'],
        routes: [{ match: { prefix: '/' }, route: { cluster: 'a', requestMirrorPolicies: [{ cluster: 'a' }] } }],
      },
    ],
  };
  expect(JSON.stringify(rename('routes', camel).resource)).not.toContain('"a"');
});

it('a virtual host alone keeps its name, and is told what can be done with its routes as they stand', () => {
  const why = (name: string, standing?: 'same' | 'other' | 'new', names = new Map<string, string>()) => {
    const body = { collection: 'virtual_hosts', name, version: VERSION, resource: {} } as const;
    const judged = { item: { from: '', body }, name, standing: { is: 'other', revision: 1 } } as const;
    const standings = new Map(standing === undefined ? [] : [['routes/main', standing] as const]);
    return whyNotRenamable({ ...judged, choice: 'rename', as: undefined }, names, standings);
  };
  expect(why('main/www', 'other', new Map([['routes/main', 'main-2']]))).toBeUndefined();
  expect(why('main/www', 'other')).toContain('rename that, or skip or replace it');
  expect(why('main/www', 'same')).toBe('its routes are the same here: skip or replace it');
  expect(why('main/www')).toBe('its routes keep their name: skip or replace it');
});
