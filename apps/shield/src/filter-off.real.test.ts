import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadPolicyFiles } from '@flotilla/policy';
import { PATH_PIECES } from '@flotilla/policy/testing';
import { ensureTestEnvoy, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type EnvoyApi, type JsonObject, loadEnvoyApi } from '../../../packages/envoy-api/src/index.ts';
import { TEST_NODE, TestSource } from '../../../packages/translate/src/testing.ts';
import { Translator } from '../../../packages/translate/src/translator.ts';
import { FilterProcess } from './testing/filter-process.ts';
import { RawClient } from './testing/raw-client.ts';
import { type ListenerChanges, RecordingEnvoy } from './testing/recording-envoy.ts';

/** One service: policies, routes, and requests. Its host names are unique, so that several share one filter. */
interface Case {
  readonly domains: readonly object[];
  readonly virtualHosts: readonly object[];
  readonly requests: readonly { readonly host: string; readonly path: string }[];
}

const KEY = { api_key: { keys: [{ key: 'the-key' }] } };
const PREFIXES = ['/', '/guarded', '/Guarded', '/guarded/open', '/public', '/public/', '/pub', '/a'] as const;

/** `HOST` is replaced by the case's own part of names. */
const policyDomains = fc
  .uniqueArray(
    fc.oneof(
      { arbitrary: fc.constantFrom('api.HOST', '*.api.HOST', 'x.api.HOST', 'www.HOST'), weight: 9 },
      fc.constant('*.HOST'),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .chain((hosts) =>
    fc.tuple(
      ...hosts.map((host) =>
        fc.record({
          hosts: fc.constant([host]),
          policy: fc.constantFrom({}, {}, {}, { engines: KEY }),
          routes: fc.uniqueArray(fc.constantFrom(...PREFIXES), { maxLength: 3 }).chain((prefixes) =>
            fc.tuple(
              ...prefixes.map((path_prefix) =>
                fc.record({
                  match: fc.constant({ path_prefix }),
                  policy: fc.constantFrom({ engines: KEY }, { engines: { api_key: null } }),
                }),
              ),
            ),
          ),
        }),
      ),
    ),
  );

const routeMatch = fc.oneof(
  { arbitrary: fc.constantFrom(...PREFIXES).map((prefix) => ({ prefix })), weight: 4 },
  { arbitrary: fc.constantFrom('/', '/guarded', '/public', '/public/a', '/a').map((path) => ({ path })), weight: 2 },
  fc.constantFrom('/guarded', '/public', '/a').map((path_separated_prefix) => ({ path_separated_prefix })),
  fc.constantFrom('/guarded', '/public').map((prefix) => ({ prefix, case_sensitive: false })),
  fc.constantFrom('/.*public.*', '/[a-z]+').map((regex) => ({ safe_regex: { regex } })),
  fc.constant({ prefix: '/', headers: [{ name: 'x-absent', present_match: true }] }),
) as fc.Arbitrary<JsonObject>;

const virtualHosts = fc
  .uniqueArray(
    fc.constantFrom('api.HOST', 'www.HOST', 'x.api.HOST', '*.HOST', '*.api.HOST', 'api.*', '*', 'free.HOST'),
    {
      minLength: 1,
      maxLength: 5,
    },
  )
  .chain((domains) =>
    fc.tuple(
      ...domains.map((domain, index) =>
        fc
          .array(routeMatch, { minLength: 1, maxLength: 4 })
          .map((drawn) => (domain === 'free.HOST' ? [{ prefix: '/' }] : drawn))
          .map((matches) => ({
            name: `h${index}`,
            domains: [domain],
            routes: matches.map((match) => ({ match, route: { cluster: 'upstream' } })),
          })),
      ),
    ),
  );

const requestPath = fc.oneof(
  fc.constantFrom('/', '/guarded', '/public/a', '/public', '/a/b', '/guarded/open/x', '/free', '/Public'),
  fc.constantFrom('/?/guarded', '/public?/guarded', '/public/a?/a/b', '/a?x=/guarded', '/public/(S(x))/a'),
  fc
    .array(fc.constantFrom(...PATH_PIECES, 'public', 'a', 'open'), { maxLength: 8 })
    .map((pieces) => `/${pieces.join('').replaceAll('\\', '')}`),
);
const requestHost = fc.oneof(
  { arbitrary: fc.constantFrom('api.HOST', 'www.HOST', 'x.api.HOST', 'free.HOST', 'y.HOST'), weight: 3 },
  fc.constantFrom(
    ...['API.HOST', 'api.HOST:8443', 'api.HOST.', 'www.HOST:80:80', 'api.HOST:1.free.HOST', 'x@api.HOST'],
    ...[
      'api.HOST,free.HOST',
      'free.HOST,api.HOST',
      'api.HOST:1.x.free.HOST',
      'y.free.HOST',
      'api.HOST@free.HOST',
      'api%2eHOST',
      'api.HOST..',
      'free.HOST:x',
    ],
  ),
);

const oneCase = fc.record({
  domains: policyDomains,
  virtualHosts,
  requests: fc.array(fc.record({ host: requestHost, path: requestPath }), { minLength: 40, maxLength: 40 }),
}) satisfies fc.Arbitrary<Case>;

const CASES = 7;

/** Attacks on a typical service: enter by an open path or host, arrive at a protected one. */
const usualCase = fc
  .array(
    fc.oneof(
      fc.record({
        host: fc.constant('api.HOST'),
        path: fc
          .tuple(
            fc.constantFrom('/public', '/public/x/..', '/public/a'),
            fc.constantFrom(
              '/../',
              '/..;/',
              '/..;x=1/',
              '/%2e%2e/',
              '/%252e%252e/',
              '/.%252e/',
              '/..%253b/',
              '/..%252f',
            ),
            fc.constantFrom('', '..;/', '%252e%252e/', '../'),
            fc.constantFrom('guarded', 'Guarded', '%67uarded', '%2567uarded', 'a'),
          )
          .map((pieces) => pieces.join('')),
      }),
      fc.record({
        host: fc
          .tuple(fc.constantFrom('api.HOST', 'API.HOST'), fc.constantFrom(':', ':1.', ',', ':80,', '@', ':1@', '.,'))
          .map((pieces) => `${pieces.join('')}x.free.HOST`),
        path: fc.constantFrom('/guarded', '/public'),
      }),
    ),
    { minLength: 60, maxLength: 60 },
  )
  .map((requests): Case => {
    const routesOf = (...prefixes: string[]) =>
      prefixes.map((prefix) => ({ match: { prefix }, route: { cluster: 'upstream' } }));
    return {
      domains: [{ hosts: ['api.HOST'], routes: [{ match: { path_prefix: '/guarded' }, policy: { engines: KEY } }] }],
      virtualHosts: [
        { name: 'api', domains: ['api.HOST'], routes: routesOf('/public', '/') },
        { name: 'free', domains: ['*.free.HOST'], routes: routesOf('/') },
        { name: 'rest', domains: ['*'], routes: routesOf('/public', '/') },
      ],
      requests,
    };
  });

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let api: EnvoyApi;
  beforeAll(async () => {
    api = await loadEnvoyApi({ version });
  });

  function makeListener(routes: Case['virtualHosts'], domains: readonly object[] | undefined): JsonObject {
    const type = 'type.googleapis.com/envoy.extensions.filters';
    const manager = {
      '@type': `${type}.network.http_connection_manager.v3.HttpConnectionManager`,
      stat_prefix: 'http',
      path_with_escaped_slashes_action: 'REJECT_REQUEST',
      strip_any_host_port: true,
      route_config: { virtual_hosts: routes as JsonObject[] },
      http_filters: [{ name: 'router', typed_config: { '@type': `${type}.http.router.v3.Router` } }],
    };
    const listener = {
      name: 'http',
      address: { socket_address: { address: '127.0.0.1', port_value: 80 } },
      filter_chains: [{ filters: [{ name: 'hcm', typed_config: manager }] }],
    };
    const loaded = domains && loadPolicyFiles([{ path: 'p.json', content: toPolicy(domains) }]);
    const policies = loaded?.ok ? { digest: loaded.value.digest, domains: loaded.value.domains } : undefined;
    const translation = new Translator(api).translate(
      new TestSource({
        bootstrap: { main: {} },
        listeners: { http: listener },
        clusters: { upstream: { name: 'upstream' } },
      }),
      { ...TEST_NODE, shield: { socket: '/unused', threads: 1, xffTrustedHops: 0, policies } },
    );
    expect(translation.errors).toEqual([]);
    const made = translation.resources.find(({ name }) => name === 'http');
    if (!made) throw new Error('there is no listener');
    const { name: _name, address: _address, ...rest } = api.decode(made.type, made.bytes) as JsonObject;
    return rest;
  }

  it('routes without the filter get exactly the requests that it would have allowed, and others the same verdict', async () => {
    const totals = { blocked: 0, passed: 0, asked: 0, askedAlways: 0 };
    await fc.assert(
      fc.asyncProperty(usualCase, fc.array(oneCase, { minLength: CASES, maxLength: CASES }), async (usual, others) => {
        const cases: readonly Case[] = [usual, ...others];
        const folder = await mkdtemp(join(tmpdir(), 'off-'));
        const named = cases.map(
          (one, index) => JSON.parse(JSON.stringify(one).replaceAll('HOST', `c${index}.test`)) as Case,
        );
        await writeFile(join(folder, 'policy.json'), toPolicy(named.flatMap(({ domains }) => domains)));
        const shieldSocket = join(folder, 's.sock');
        const listen = ['--policy', join(folder, 'policy.json'), '--listen', `unix:${shieldSocket}`];
        const filter = new FilterProcess(listen, join(folder, 'a.sock'));
        const listeners: Record<string, ListenerChanges> = {};
        for (const [index, { virtualHosts: routes, domains }] of named.entries()) {
          listeners[`always${index}`] = { whole: makeListener(routes, undefined) };
          listeners[`without${index}`] = { whole: makeListener(routes, domains) };
        }
        const envoy = new RecordingEnvoy({ folder, shieldSocket, listeners });
        try {
          await filter.start();
          await envoy.start((await ensureTestEnvoy(version)).path);
          const ask = async (listener: string, requests: Case['requests']) => {
            const before = await filter.counter('requests_total');
            const outcomes = await sendAll(envoy, listener, requests);
            return { outcomes, asked: (await filter.counter('requests_total')) - before };
          };
          for (const [index, { requests }] of named.entries()) {
            const always = await ask(`always${index}`, requests);
            const without = await ask(`without${index}`, requests);
            expect(without.outcomes).toEqual(always.outcomes);
            totals.askedAlways += always.asked;
            totals.asked += without.asked;
            totals.blocked += always.outcomes.filter((outcome) => outcome.startsWith('403')).length;
            totals.passed += always.outcomes.filter((outcome) => outcome.startsWith('200')).length;
          }
        } finally {
          await envoy.close();
          await filter.end();
          await rm(folder, { recursive: true, force: true });
        }
      }),
      { numRuns: 3, endOnFailure: true },
    );
    // Guards against a property that checks nothing.
    expect(totals.blocked).toBeGreaterThan(20);
    expect(totals.passed).toBeGreaterThan(100);
    expect(totals.asked).toBeLessThan(totals.askedAlways);
  });
});

/** For each request: the status, and what the upstream got. No key is sent, so engines block what they check. */
async function sendAll(envoy: RecordingEnvoy, listener: string, requests: Case['requests']): Promise<string[]> {
  const client = new RawClient(envoy.portOf(listener));
  const outcomes: string[] = [];
  for (const { host, path } of requests) {
    const before = envoy.upstream.seen.length;
    const { status } = await client.send(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
    const seen = envoy.upstream.seen[before];
    outcomes.push(`${status} ${host}${path} -> ${seen ? seen.header('host').join() + seen.target : 'nothing'}`);
  }
  client.close();
  return outcomes;
}

function toPolicy(domains: readonly object[]): string {
  return JSON.stringify({
    apiVersion: 'flotilla.dev/v1',
    kind: 'SecurityPolicy',
    metadata: { name: 'p' },
    spec: { domains },
  });
}
