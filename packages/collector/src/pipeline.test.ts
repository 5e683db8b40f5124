import type { LogEntry } from '@flotilla/access-log';
import { fromFlagBits, fromMarkBits, RouteNames, readRouteTable, TemplateIndex, toPlace } from '@flotilla/inventory';
import { describe, expect, it } from 'vitest';
import { NetworkSet } from './source/network-set.ts';
import { NOON_MS } from './testing/entries.ts';
import { collect, countSeen, createPipeline, KEY, parseSettings } from './testing/pipeline.ts';

describe('a batch', () => {
  it('becomes an event for each request and one delta for each operation', () => {
    const { events, deltas } = collect(createPipeline(), [
      { path: '/api/orders', latencyUs: 3000 },
      { path: '/api/orders', status: 500, latencyUs: 2_500_000, responseBytes: 9000 },
      { path: '/api/orders', method: 'POST', auth: 'none', identityHash: '' },
    ]);
    expect(events).toHaveLength(3);
    expect(countSeen(deltas)).toEqual(
      new Map([
        ['GET shop.example.com/api/orders', 2],
        ['POST shop.example.com/api/orders', 1],
      ]),
    );
    const [get, post] = deltas;
    expect(get).toMatchObject({
      confirmed: true,
      statuses: { 200: 1, 500: 1 },
      latencyMaxMs: 2500,
      latencyClasses: [1, 0, 0, 0, 0, 1],
      responseBytesTotal: 10_200,
      responseBytesMax: 9000,
      requestBytesTotal: 600,
      services: ['service-1'],
      clients: ['client-1'],
      listeners: ['public'],
      protocols: ['http/2'],
      schemes: { jwt: NOON_MS - 1000 },
      authenticatedMs: NOON_MS - 1000,
      anonymousMs: 0,
    });
    expect(get?.consumers).toEqual([events[0]?.consumer]);
    expect(post).toMatchObject({ authenticatedMs: 0, anonymousMs: NOON_MS - 1000, schemes: { none: NOON_MS - 1000 } });
    expect(events[0]?.operationId).toMatch(/^[0-9a-f]{16}$/);
    expect(events[0]?.operationId).not.toBe(events[2]?.operationId);
  });

  it('names gRPC methods and GraphQL operations', () => {
    const { events, deltas } = collect(createPipeline(), [
      { method: 'POST', path: '/shop.v1.Orders/Get', requestContentType: 'application/grpc', grpcStatus: 0 },
      { method: 'POST', path: '/graphql', graphqlOperation: 'ListOrders' },
    ]);
    expect(events.map(({ operation }) => operation)).toEqual(['shop.v1.Orders/Get', 'ListOrders']);
    expect(deltas[0]).toMatchObject({ grpcService: 'shop.v1.Orders', grpcMethod: 'Get', key: { operation: '' } });
    expect(deltas[1]?.key.operation).toBe('ListOrders');
  });

  it('knows by which schemes clients address a host', () => {
    const schemesOf = (entry: Partial<LogEntry>) => collect(createPipeline(), [entry]).deltas[0]?.urlSchemes;
    expect(schemesOf({ tlsVersion: '' })).toEqual(['http']);
    expect(schemesOf({ tlsVersion: 'TLSv1.3' })).toEqual(['https']);
    expect(schemesOf({ tlsVersion: '', signs: ['forwarded_https'] })).toEqual(['https']);
  });

  it('takes templates of routes before everything else', () => {
    const openApi = new TemplateIndex([{ template: '/shops/{name}/carts' }, { template: '/items/{item}' }]);
    const pipeline = createPipeline({ knowledge: { routes: namesOf('/shops/{shop}/carts'), openApi } });
    const { deltas } = collect(pipeline, [{ path: '/shops/north/carts' }, { path: '/items/7' }], {
      listener: 'public',
    });
    expect(deltas.map(({ key }) => key.normalizedPath)).toEqual(['/shops/{shop}/carts', '/items/{item}']);
  });

  it('takes no template of the routes of another listener or service', () => {
    const routes = namesOf('/shops/{shop}/carts');
    const pathOf = (listener: string) => {
      const { deltas } = collect(createPipeline({ knowledge: { routes } }), [{ path: '/shops/north/carts' }], {
        listener,
      });
      return deltas[0]?.key.normalizedPath;
    };
    expect(pathOf('public')).toBe('/shops/{shop}/carts');
    expect(pathOf('internal')).toBe('/shops/north/carts');
  });

  it('names a connection without a request by its name in TLS', () => {
    const tcp = {
      protocol: 'tcp',
      method: '',
      path: '',
      status: 0,
      authority: 'db.example.com',
      auth: 'none',
    } as const;
    const { deltas, events } = collect(createPipeline(), [tcp]);
    expect(deltas[0]).toMatchObject({
      confirmed: true,
      key: { method: 'CONNECT', host: 'db.example.com' },
      schemes: {},
    });
    expect(fromFlagBits(events[0]?.flags ?? [])).toEqual(['external_host']);
  });
});

describe('confirmed operations', () => {
  it.each([
    ['a request that matched a route', {}, true],
    ['a refused one', { status: 403 }, false],
    ['one without a route', { responseFlags: 'NR', route: '', cluster: '', status: 404 }, false],
    ['one of a scanner', { userAgent: 'nuclei' }, false],
    ['a probe', { path: '/.git/config' }, false],
    ['a file of a page', { path: '/app.css' }, false],
    ['a file by its type', { path: '/logo', contentType: 'image/png' }, false],
    ['an answer of an API without any sign of a route', { route: '', cluster: '' }, true],
    ['a page without any sign of a route', { route: '', cluster: '', contentType: 'text/html' }, false],
    [
      'a gRPC method that the server does not have',
      { method: 'POST', path: '/a.B/C', requestContentType: 'application/grpc', grpcStatus: 12 },
      false,
    ],
  ])('%s: %j is %s', (_, entry, confirmed) => {
    expect(collect(createPipeline(), [entry]).deltas[0]?.confirmed).toBe(confirmed);
  });

  it('are refused requests of an operation that others were answered on', () => {
    const { events } = collect(createPipeline(), [{}, { status: 403 }, { status: 404 }]);
    expect(events.map(({ marks = [] }) => fromMarkBits(marks).includes('confirmed'))).toEqual([true, true, true]);
  });
});

describe('sampling', () => {
  it('leaves out harmless events only, with weights, while counts stay exact', () => {
    const pipeline = createPipeline({ settings: { policy: { raw_sample_rate: 10 } } });
    const harmless = Array.from({ length: 5000 }, () => ({}));
    const bad = Array.from({ length: 100 }, (_, index) => (index % 2 ? { status: 500 } : { userAgent: 'sqlmap' }));
    const { events, deltas, sampledOut } = collect(pipeline, [...harmless, ...bad]);
    expect(deltas.reduce((sum, { seen }) => sum + seen, 0)).toBe(5100);
    expect(events.length + sampledOut).toBe(5100);
    expect(events.filter(({ weight }) => weight === 1)).toHaveLength(100);
    const estimated = events.reduce((sum, { weight = 1 }) => sum + weight, 0);
    expect(Math.abs(estimated - 5100)).toBeLessThan(1000);
  });

  it.each([
    [0, 1],
    [1, 1],
    [2, 2],
    [0.25, 4],
  ])('a rate of %s keeps one of %s', (rate, oneOf) => {
    const pipeline = createPipeline({ settings: { policy: { raw_sample_rate: rate } } });
    const { events } = collect(
      pipeline,
      Array.from({ length: 500 }, () => ({})),
    );
    expect(new Set(events.map(({ weight }) => weight))).toEqual(new Set([oneOf]));
  });

  it('chooses the same events of a batch that comes again', () => {
    const settings = { policy: { raw_sample_rate: 3 } };
    const entries = Array.from({ length: 300 }, (_, index) => ({ latencyUs: index }));
    const [first, second] = [1, 2].map(() => collect(createPipeline({ settings }), entries, { sequence: 9 }));
    expect(first?.events).toEqual(second?.events);
  });
});

describe('exclusions', () => {
  it.each([
    ['exclude_method', { exclude: { methods: ['GET'] } }],
    ['exclude_host', { exclude: { hosts: ['shop.example.com'] } }],
    ['exclude_host', { exclude: { hosts: ['*.EXAMPLE.com'] } }],
    ['exclude_listener', { exclude: { listeners: ['public'] } }],
    ['exclude_project', { exclude: { projects: ['project-1'] } }],
    ['exclude_source_ip', { exclude: { source_cidrs: ['198.51.100.0/24'] } }],
    ['exclude_user_agent', { exclude: { user_agents: ['Linux x86'] } }],
    ['ingest_filter', { ingest_deny_patterns: ['^/api/'] }],
  ])('%s drops a request as if it had not been', (reason, policy) => {
    const { events, deltas, dropped, received } = collect(createPipeline({ settings: { policy } }), [{}]);
    expect([events, deltas, received]).toEqual([[], [], 1]);
    expect(dropped).toEqual(new Map([[reason, 1]]));
  });

  it('patterns drop reads only', () => {
    const settings = { policy: { ingest_deny_patterns: ['^/healthz$'] } };
    const { events } = collect(createPipeline({ settings }), [
      { path: '/healthz' },
      { path: '/healthz', method: 'HEAD' },
      { path: '/healthz', method: 'POST' },
      { path: '/healthz/deep' },
    ]);
    expect(events.map(({ method }) => method)).toEqual(['POST', 'GET']);
  });
});

describe('privacy', () => {
  const secrets = {
    sourceAddress: '203.0.113.77',
    userAgent: 'SecretAgent/7.7',
    identityHash: 'feedfacefeedfacefeedfacefeedface',
    path: '/users/jane.doe@example.com/orders/4111111111111111',
  };

  it('no event and no delta contains an address, a user agent, an identity or a value of a path', () => {
    const text = JSON.stringify(collect(createPipeline(), [secrets, secrets]));
    for (const secret of [...Object.values(secrets), 'jane.doe', '4111111111111111'])
      expect(text).not.toContain(secret);
  });

  it('two projects have no hash in common', () => {
    const [one, other] = [1, 2].map((byte) =>
      collect(createPipeline({ knowledge: { key: new Uint8Array(32).fill(byte) } }), [secrets]),
    );
    for (const column of ['consumer', 'source', 'userAgent', 'object'] as const) {
      expect(one?.events[0]?.[column]).toMatch(/^[0-9a-f]{16}$/);
      expect(one?.events[0]?.[column]).not.toBe(other?.events[0]?.[column]);
    }
  });

  it('hashes can be switched off', () => {
    const settings = {
      policy: { hash_source_ip: false, hash_user_agent: false },
      detection: { extract_consumer_fingerprint: false },
    };
    const [event] = collect(createPipeline({ settings }), [secrets]).events;
    expect([event?.source, event?.userAgent, event?.consumer]).toEqual(['', '', '']);
  });

  it.each(['store_headers', 'store_raw_source_ip', 'store_raw_user_agent'])('%s cannot be switched on', (name) => {
    expect(() => parseSettings({ policy: { [name]: true } })).toThrow('stores hashes only');
  });
});

describe('new knowledge', () => {
  it('applies to the next batch, and what was learned stays', () => {
    const pipeline = createPipeline();
    collect(pipeline, [{ path: '/api/carts' }]);
    pipeline.update({
      settings: parseSettings({ detection: { weak_tls: false } }),
      key: new Uint8Array(32).fill(9),
      threats: [NetworkSet.of(['198.51.100.0/24'])],
    });
    const { events } = collect(pipeline, [{ path: '/api/carts', status: 404, tlsVersion: 'TLSv1' }]);
    expect(fromFlagBits(events[0]?.flags ?? [])).toEqual(['threat_intel_hit', 'external_host', 'client_error_status']);
    expect(events[0]?.path).toBe('/api/carts');
  });

  it('detectors keep what they saw unless their own settings change', () => {
    const attempts = Array.from({ length: 9 }, () => ({ method: 'POST', path: '/login', status: 401 }));
    const changes = [{ policy: { raw_sample_rate: 5 } }, { detection: { brute_force: { threshold_ip: 30 } } }];
    const [kept, reset] = changes.map((settings) => {
      const pipeline = createPipeline();
      collect(pipeline, attempts);
      pipeline.update({ settings: parseSettings(settings), key: KEY });
      return collect(pipeline, attempts.slice(0, 1)).flags.has('brute_force_suspect');
    });
    expect([kept, reset]).toEqual([true, false]);
  });
});

/** The routes of the listener `public` of the service in the tests. */
function namesOf(template: string): RouteNames {
  const routes = [{ match: { path_match_policy: { typed_config: { path_template: template } } } }];
  const table = readRouteTable(
    { virtual_hosts: [{ domains: ['*'], routes }] },
    { resolve: (value) => value, room: 10 },
  );
  return new RouteNames({ tables: [table], places: { [toPlace('service-1', 'public')]: [0] } });
}
