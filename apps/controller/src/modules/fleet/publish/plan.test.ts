import type { PublishBody } from '@flotilla/contract';
import type { JsonObject } from '@flotilla/envoy-api';
import { describe, expect, it } from 'vitest';
import type { StoredDocument } from '../../configuration/public.ts';
import { listFilterRefs, readListener } from './listener-facts.ts';
import { listCandidates, nameAfter } from './names.ts';
import { planNewListener, planOnListener, toHostRequest } from './plan.ts';
import { listUncovered } from './policy-coverage.ts';
import { readRequest } from './request.ts';
import { describeAccess } from './try-it.ts';

const body = (more: Partial<PublishBody> = {}): PublishBody => ({
  upstreams: [{ address: '127.0.0.1', port: 9000 }],
  hosts: ['shop.example.com'],
  path: '/',
  listener: { existing: 'http' },
  clients: [],
  ...more,
});

function stored(collection: StoredDocument['collection'], name: string, resource: JsonObject): StoredDocument {
  return { collection, name, resource, type: '', revision: 4, labels: {}, comments: [] };
}

const manager = (more: JsonObject = {}) => ({ rds: { route_config_name: 'main' }, ...more });
const listenerWith = (...filters: JsonObject[]) =>
  stored('listeners', 'http', {
    address: { socket_address: { address: '0.0.0.0', port_value: 8080 } },
    filter_chains: [{ filters }],
  });
const listener = () => readListener(listenerWith({ typed_config: manager() }), []);

const route = (prefix: string, cluster = 'other') => ({ match: { prefix }, route: { cluster } });
const host = (name: string, domains: string[], routes: JsonObject[]) => ({ name, domains, routes });
const existing = (virtual_hosts: JsonObject[], hosts: StoredDocument[] = []) => ({
  listener: listener(),
  routes: stored('routes', 'main', { name: 'main', virtual_hosts }),
  hosts,
});
const free = { cluster: 'shop', host: 'shop.example.com' };
const plan = (request: PublishBody, on: ReturnType<typeof existing>, cluster?: StoredDocument) =>
  planOnListener(readRequest(request), on, { free, cluster, normalise: (resource) => resource });

describe('the routes of an existing listener', () => {
  it('get a virtual host of their own for a new host, with the port if the listener compares it', () => {
    const [cluster, added] = plan(body(), existing([host('all', ['*'], [route('/')])]));
    expect(cluster).toMatchObject({ collection: 'clusters', name: 'shop', revision: 0 });
    expect(added).toMatchObject({ collection: 'virtual_hosts', name: 'main/shop.example.com', revision: 0 });
    expect(added?.resource.domains).toEqual(['shop.example.com', 'shop.example.com:8080']);
  });

  it('compare no port if the listener or the route configuration ignores it', () => {
    const request = readRequest(body());
    const strips = readListener(listenerWith({ typed_config: manager({ strip_any_host_port: true }) }), []);
    expect(toHostRequest(request, { ...existing([]), listener: strips }).port).toBeUndefined();
    const routes = stored('routes', 'main', { ignore_port_in_host_matching: true });
    expect(toHostRequest(request, { ...existing([]), routes }).port).toBeUndefined();
  });

  it.each([
    ['/api', ['/api/v1', '/'], 1],
    ['/api/v1', ['/api', '/'], 0],
    ['/zzz', ['/api', '/'], 1],
    ['/zzz', ['/api'], 1],
  ])('get %s before every route that covers it, among %s', (path, prefixes, at) => {
    const routes = prefixes.map((prefix) => route(prefix));
    const [, changed] = plan(body({ path }), existing([host('shop', ['shop.example.com'], routes)]));
    const hosts = changed?.resource.virtual_hosts as Array<{ routes: Array<{ match: JsonObject }> }>;
    expect(changed).toMatchObject({ collection: 'routes', name: 'main', revision: 4 });
    expect(hosts[0]?.routes[at]?.match).toEqual({ path_separated_prefix: path });
    expect(hosts[0]?.routes).toHaveLength(prefixes.length + 1);
  });

  it('keep the comments of their routes when one is inserted before them', () => {
    const comment = { path: ['routes', 1, 'match'], place: 'above' as const, text: 'everything else' };
    const routes = [route('/api'), route('/')];
    const document = {
      ...stored('virtual_hosts', 'main/shop', host('shop', ['Shop.example.com:8080'], routes)),
      comments: [{ ...comment, path: ['domains'] }, comment],
    };
    const [, changed] = plan(body({ path: '/a' }), existing([], [document]));
    expect(changed?.comments?.map(({ path }) => path)).toEqual([['domains'], ['routes', 2, 'match']]);
  });

  it('refuse a path that somebody else routes, and a virtual host with only some of the hosts', () => {
    const taken = existing([host('shop', ['shop.example.com'], [route('/')])]);
    expect(() => plan(body(), taken, stored('clusters', 'other', {}))).toThrow('already routed to cluster other');
    const hosts = ['shop.example.com', 'new.example.com'];
    expect(() => plan(body({ hosts }), taken)).toThrow('not all of the hosts');
    const redirect = { match: { prefix: '/' }, redirect: { https_redirect: true } };
    const redirected = existing([host('shop', ['shop.example.com'], [redirect])]);
    expect(() => plan(body(), redirected)).toThrow('something else');
  });

  it('do not confuse a conditional route with the one for all requests', () => {
    const conditional = { match: { prefix: '/', headers: [{ name: 'x' }] }, route: { cluster: 'other' } };
    const [, changed] = plan(body(), existing([host('shop', ['shop.example.com'], [conditional])]));
    const hosts = changed?.resource.virtual_hosts as Array<{ routes: JsonObject[] }>;
    expect(hosts[0]?.routes.map(({ match }) => match)).toEqual([conditional.match, { prefix: '/' }]);
  });

  it('change only the cluster that publishing made before', () => {
    const published = existing([host('shop', ['shop.example.com'], [route('/', 'shop')])]);
    const resource = { name: 'shop', connect_timeout: '9s', health_checks: [], lb_policy: 'RANDOM' };
    const cluster = { ...stored('clusters', 'shop', resource), labels: { published: 'shop.example.com/' } };
    const documents = plan(body(), published, cluster);
    expect(documents).toHaveLength(1);
    expect(documents[0]?.resource).toMatchObject({ connect_timeout: '9s', lb_policy: 'RANDOM', type: 'STATIC' });
    expect(documents[0]?.resource.health_checks).toBeUndefined();
  });
});

describe('a new listener', () => {
  it('has its own route configuration, and TLS if it has a certificate', () => {
    const wanted = { name: 'https-443', address: '::', port: 443, routes: 'https-443', certificate: 'site' };
    const documents = planNewListener(readRequest(body()), { listener: wanted, free });
    expect(documents.map(({ collection }) => collection)).toEqual(['clusters', 'routes', 'virtual_hosts', 'listeners']);
    expect(documents.every(({ revision, labels }) => revision === 0 && labels?.published)).toBe(true);
    expect(JSON.stringify(documents.at(-1)?.resource)).toContain('"name":"site"');
  });
});

describe('a listener', () => {
  it('is read through the filters that it refers to', () => {
    const referring = listenerWith({ $ref: 'filters/manager' });
    expect(listFilterRefs(referring)).toEqual(['manager']);
    expect(readListener(referring, [stored('filters', 'manager', manager())])).toMatchObject({
      routes: 'main',
      port: 8080,
    });
  });

  it.each([
    ['it does not speak HTTP', [{ typed_config: { cluster: 'tcp' } }]],
    ['its routes are part of the listener', [{ typed_config: { route_config: {} } }]],
    [
      'several route configurations',
      [{ typed_config: manager() }, { typed_config: { rds: { route_config_name: 'b' } } }],
    ],
  ])('is refused if %s', (reason, filters) => {
    expect(() => readListener(listenerWith(...(filters as JsonObject[])), [])).toThrow(reason);
  });
});

describe('a policy', () => {
  it.each([
    [['*'], []],
    [
      ['shop.example.com', '::1'],
      ['*.example.com', '*.a.example.com'],
    ],
    [['*.example.com'], ['[::1]']],
    [['*.a.example.com'], ['shop.example.com', '*.example.com', '[::1]']],
    [['*.shop.example.com', '*.com'], ['[::1]']],
  ])('with the domains %j does not cover %j', (domains, uncovered) => {
    const hosts = ['shop.example.com', '*.example.com', '*.a.example.com', '[::1]'];
    expect(listUncovered(hosts, domains)).toEqual(uncovered);
    expect(listUncovered(['*'], domains)).toEqual(domains[0] === '*' ? [] : ['*']);
  });
});

describe('names', () => {
  it('consist of letters, digits and dashes, whatever the host and path are', () => {
    expect(nameAfter('*.Example.com', '/API/v1')).toBe('any-example-com-api-v1');
    expect(nameAfter('*')).toBe('any');
    expect(nameAfter('[::1]')).toBe('1');
    for (const odd of [`${'a'.repeat(60)}.${'b'.repeat(60)}.example`, '[2001:db8::1]', '-._'])
      expect(nameAfter(odd, "/~!$&'()")).toMatch(/^[a-z0-9](?:[a-z0-9-]{0,78}[a-z0-9])?$/);
    expect(nameAfter('a'.repeat(200))).not.toBe(nameAfter(`${'a'.repeat(200)}b`));
  });

  it('have numbered variants', () => {
    expect(listCandidates('shop').slice(0, 3)).toEqual(['shop', 'shop-2', 'shop-3']);
  });
});

describe('the line to try', () => {
  const published = {
    host: 'shop.example.com',
    path: '/api',
    listener: { address: '0.0.0.0', port: 8080, tls: false },
    addresses: [] as string[],
    hostname: 'edge-1.internal',
  };
  const curl = (more: Partial<typeof published>) => describeAccess({ ...published, ...more }).curl;

  it('connects to an address of the listener, of the client, or to its host name', () => {
    const url = 'http://shop.example.com:8080/api';
    expect(curl({})).toBe(`curl -i --connect-to '::edge-1.internal:' ${url}`);
    expect(curl({ addresses: ['2001:db8::1'] })).toBe(`curl -i --connect-to '::[2001:db8::1]:' ${url}`);
    expect(curl({ listener: { address: '127.0.0.1', port: 8080, tls: false } })).toContain("'::127.0.0.1:'");
  });

  it('uses the address itself for any host, and a name for a wildcard', () => {
    const listener = { address: '127.0.0.1', port: 443, tls: true };
    expect(curl({ host: '*', listener })).toBe('curl -i https://127.0.0.1/api');
    expect(describeAccess({ ...published, host: '*.example.com' }).url).toBe('http://www.example.com:8080/api');
  });

  it('runs nothing that an agent or a path has put into it', () => {
    expect(curl({ hostname: "x'; reboot; '" })).toBe('curl -i http://shop.example.com:8080/api');
    expect(curl({ path: '/a;$(reboot)&b' })).toContain("'http://shop.example.com:8080/a;$(reboot)&b'");
  });
});
