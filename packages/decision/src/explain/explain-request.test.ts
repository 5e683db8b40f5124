import { compileEngine } from '@flotilla/engines';
import { FakeClock } from '@flotilla/kit';
import { type LoadedPolicies, loadPolicyFiles } from '@flotilla/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decision } from '../decision.ts';
import { buildRuntime } from '../runtime-builder.ts';
import { explainRequest } from './explain-request.ts';
import type { TrialRequest } from './trial-request.ts';
import { TrialView } from './trial-view.ts';

function load(spec: object, name = 'shop'): LoadedPolicies {
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value;
}

const API_KEY = {
  api_key: {
    keys: [{ key: 'good', subject: 'till-7', scopes: ['read'] }],
    require_scope_for_path: [{ path_prefix: '/admin/', scope: 'admin' }],
  },
};
const LIMIT = { rate_limit: { requests_per_second: 5, key: 'header', header: 'X-User' } };
const SHOP = load({
  domains: [
    {
      hosts: ['*.example.com', 'api.example.com'],
      policy: { engines: { ...API_KEY, ...LIMIT } },
      routes: [
        { match: { path_prefix: '/open/' }, policy: { engines: { api_key: null } } },
        { match: { path_prefix: '/watch' }, policy: { mode: 'detect' } },
        { match: { path_prefix: '/watch/closely' }, policy: { mode: 'block' } },
      ],
    },
    { hosts: ['*.com', 'www.example.net'], policy: { engines: {} } },
  ],
});

const ask = (url: string, request: Partial<TrialRequest> = {}) =>
  explainRequest(SHOP, { method: 'GET', url: `https://api.example.com${url}`, ...request });

describe('an explanation', () => {
  it('names the block, its place and the response to the client', () => {
    const { verdict, decisive, answer, summary, engines } = ask('/v1');
    expect(verdict).toBe('blocked');
    expect(decisive).toEqual({
      policy: 'shop',
      route: null,
      engine: 'api_key',
      reason: 'apikey.missing',
      severity: 'high',
      status: 403,
      detail: null,
      subject: null,
    });
    expect(answer).toEqual({ status: 403, headers: [['x-svc-shield', 'blocked']], body: 'Request blocked.\n' });
    expect(summary).toBe('Blocked with 403 by api_key of policy shop: apikey.missing.');
    expect(engines.map(({ engine, verdict: said, effect }) => [engine, said, effect])).toEqual([
      ['rate_limit', 'allow', 'none'],
      ['api_key', 'block', 'blocked'],
    ]);
  });

  it('reports the verdicts of engines after the first block, and that they were not asked', () => {
    const limited = load({
      domains: [
        {
          hosts: ['*'],
          policy: {
            engines: { ...API_KEY, rate_limit: { requests_per_second: 1, key: 'header', header: 'X-Api-Key' } },
          },
        },
      ],
    });
    const { engines } = explainRequest(limited, { method: 'GET', url: '/', host: 'a.example' });
    expect(engines.map(({ engine, verdict, effect }) => [engine, verdict, effect])).toEqual([
      ['api_key', 'block', 'blocked'],
      ['rate_limit', 'allow', 'not_asked'],
    ]);
  });

  it('reports that mode detect only records', () => {
    const { verdict, engines, summary, answer } = ask('/watch/me');
    expect([verdict, answer]).toEqual(['allowed', null]);
    expect(engines[1]).toMatchObject({ engine: 'api_key', mode: 'detect', verdict: 'block', effect: 'detected' });
    expect(summary).toBe('Allowed by policy shop, route /watch, which only records in mode detect: apikey.missing.');
  });

  it('names the subject and the engine that found it', () => {
    const { verdict, grants, engines } = ask('/v1', { headers: [['X-API-KEY', 'good']] });
    expect(verdict).toBe('allowed');
    expect(grants).toMatchObject([{ subject: 'till-7' }]);
    expect(engines.find(({ engine }) => engine === 'api_key')).toMatchObject({ subject: 'till-7' });
  });

  it('shows every reading of a path with its route', () => {
    const { match, request, verdict } = ask('/open/..%2fwatch');
    expect(request.readings[0]).toBe('/watch');
    expect(match.readings.map(({ route, is_router }) => [route, is_router])).toContainEqual(['/watch', true]);
    expect(match.readings.map(({ route }) => route)).toContain('/open/');
    expect(verdict).toBe('allowed');
    expect(ask('/open/%2e%2e/v1').decisive).toMatchObject({ reason: 'apikey.missing', route: null });
  });

  it('says why similar routes and domains do not match', () => {
    const { match } = ask('/watch/closely');
    expect(match.domain).toEqual({ policy: 'shop', entry: 'api.example.com', kind: 'exact' });
    expect(match.other_domains).toEqual([{ entry: '*.com', policy: 'shop', why: 'less_specific' }]);
    expect(match.other_routes).toEqual([
      { path_prefix: '/watch', why: 'shorter' },
      { path_prefix: '/open/', why: 'not_a_prefix' },
    ]);
    expect(ask('/Watch').match.readings.map(({ route }) => route)).toEqual([null, '/watch']);
    expect(ask('/open').match.other_routes[0]).toEqual({ path_prefix: '/open/', why: 'trailing_slash' });
    const bare = explainRequest(SHOP, { method: 'GET', url: 'http://example.com/' });
    expect(bare.match.domain?.entry).toBe('*.com');
    expect(bare.match.other_domains[0]).toEqual({ entry: '*.example.com', policy: 'shop', why: 'bare_suffix' });
  });

  it('gives the same result for a route in other capitals', () => {
    const paths = ['/Admin', '/admin/open', '/admin/Open/Door', '/Logs/', '/x'];
    const spec = {
      domains: [
        {
          hosts: ['api.example.com'],
          policy: { engines: API_KEY },
          routes: paths.map((path_prefix) => ({ match: { path_prefix }, policy: { mode: 'detect' } })),
        },
      ],
    };
    const loaded = load(spec);
    const missesOf = (path: string) =>
      Object.fromEntries(
        explainRequest(loaded, { method: 'GET', url: `https://api.example.com${path}` }).match.other_routes.map(
          ({ path_prefix, why }) => [path_prefix, why],
        ),
      );
    expect(missesOf('/admin/open')).toEqual({
      '/Admin': 'shorter',
      '/admin/Open/Door': 'not_a_prefix',
      '/Logs/': 'not_a_prefix',
      '/x': 'not_a_prefix',
    });
    expect(missesOf('/ADMIN/OPEN/DOOR')).toMatchObject({ '/Admin': 'shorter', '/x': 'not_a_prefix' });
    expect(missesOf('/logs')).toMatchObject({ '/Logs/': 'trailing_slash', '/Admin': 'not_a_prefix' });
  });

  it('applies a malformed authority to every host that it may mean, and a path to prefixes that differ in capitals', () => {
    const twice = ask('/v1', { host: 'other.example.org, api.example.com' });
    expect(twice.verdict).toBe('blocked');
    expect(twice.match.domain?.policy).toBe('shop');
    const capitals = load({
      domains: [
        {
          hosts: ['*'],
          routes: [
            { match: { path_prefix: '/Admin' }, policy: { engines: API_KEY } },
            { match: { path_prefix: '/a' }, policy: {} },
          ],
        },
      ],
    });
    const folded = explainRequest(capitals, { method: 'GET', url: '/admin', host: 'a.example' });
    expect(folded.match.readings).toEqual([
      { path: '/admin', is_router: true, route: '/a' },
      { path: '/admin', is_router: false, route: '/Admin' },
    ]);
    expect(folded).toMatchObject({ verdict: 'blocked', decisive: { route: '/Admin' } });
  });

  it('says that a host that no domain covers is not protected', () => {
    const { verdict, match, engines, summary } = explainRequest(SHOP, {
      method: 'GET',
      url: 'http://other.example.org/',
    });
    expect([verdict, match.domain, engines]).toEqual(['allowed', null, []]);
    expect(summary).toBe('Allowed: no policy covers this host.');
  });

  it('names the bucket that would count, but no header that may be a credential', () => {
    const { engines } = ask('/v1', { headers: [['x-user', 'a secret']] });
    expect(engines[0]?.limiter).toEqual({
      key: 'header',
      header: 'x-user',
      value: null,
      has_key: true,
      requests_per_second: 5,
      burst: 5,
      shared_by: 4,
    });
    expect(ask('/v1').engines[0]?.limiter?.has_key).toBe(false);
  });

  it('contains no header value, no query and no body', () => {
    const text = JSON.stringify(
      ask('/v1?token=SECRET-Q', {
        method: 'POST',
        headers: [
          ['x-api-key', 'SECRET-K'],
          ['x-user', 'SECRET-U'],
          ['cookie', 'SECRET-C'],
        ],
        body: 'SECRET-B',
      }),
    );
    expect(text).not.toContain('SECRET');
  });

  it('is bounded, whatever was asked', () => {
    const url = `/${'%2e%2e/;x/%5c'.repeat(4500)}`;
    const explained = explainRequest(SHOP, { method: 'GET', url, host: `${'a.'.repeat(400)}example.com` });
    expect(JSON.stringify(explained).length).toBeLessThan(200_000);
  });

  it('uses fresh buckets every time', () => {
    const once = load({
      domains: [{ hosts: ['*'], policy: { engines: { rate_limit: { requests_per_second: 0.001 } } } }],
    });
    const request = { method: 'GET', url: '/', host: 'a.example', source_ip: '192.0.2.1' };
    expect([1, 2, 3].map(() => explainRequest(once, request).verdict)).toEqual(['allowed', 'allowed', 'allowed']);
  });

  it('reads a body only if an engine asks for it', () => {
    const { body } = ask('/v1', { method: 'POST', body: 'x', headers: [['x-api-key', 'good']] });
    expect(body).toEqual({ sent_bytes: 1, decoded_bytes: null, wanted_by: [], max_bytes: 0, state: 'not_wanted' });
    expect(ask('/v1').body.state).toBe('none');
  });
});

describe('the address of the client', () => {
  it.each<[Partial<TrialRequest>, string, string]>([
    [{ source_ip: '[2001:db8::1]:80' }, '2001:db8::1', 'given'],
    [{ peer: '192.0.2.7:4711' }, '192.0.2.7', 'peer'],
    [{ peer: '192.0.2.7', headers: [['X-Forwarded-For', '198.51.100.1']] }, '192.0.2.7', 'peer'],
    [
      { peer: '192.0.2.7', trusted_hops: 1, headers: [['X-Forwarded-For', '203.0.113.5, 198.51.100.1']] },
      '198.51.100.1',
      'x-forwarded-for',
    ],
    [{ headers: [['x-forwarded-for', '198.51.100.1']] }, '198.51.100.1', 'x-forwarded-for'],
    [{ trusted_hops: 3, headers: [['x-forwarded-for', '198.51.100.1']] }, '', 'unknown'],
    [{}, '', 'unknown'],
  ])('of %j is "%s" (%s)', (request, ip, from) => {
    expect(ask('/', request).request).toMatchObject({ source_ip: ip, source_ip_from: from });
  });
});

describe('the host', () => {
  it.each<[Partial<TrialRequest>, string]>([
    [{ url: 'https://user@API.example.com:8443/x' }, 'api.example.com'],
    [{ url: '/x', host: 'API.example.com.' }, 'api.example.com'],
    [{ url: 'https://one.example.com/x', headers: [['Host', 'two.example.com']] }, 'two.example.com'],
    [{ url: 'https://one.example.com/x', host: 'three.example.com', headers: [['Host', 'two']] }, 'three.example.com'],
    [{ url: 'https://one.example.com?x=/y' }, 'one.example.com'],
  ])('of %j is %s', (request, host) => {
    expect(explainRequest(SHOP, { method: 'GET', url: '/', ...request }).request.host).toBe(host);
  });
});

it('agrees with the decision for any request', () => {
  const url = fc
    .array(
      fc.constantFrom('/', 'open', 'watch', 'closely', 'admin', '..', '%2e', '%2f', '//', ';x', '\\', '%5c', '?a'),
      {
        maxLength: 8,
      },
    )
    .map((parts) => `/${parts.join('')}`);
  const request = fc.record({
    method: fc.constantFrom('GET', 'POST'),
    url,
    host: fc.constantFrom('api.example.com', 'x.example.com', 'www.example.net', 'example.org'),
    headers: fc.array(fc.tuple(fc.constantFrom('x-api-key', 'x-user'), fc.constantFrom('good', 'bad', '')), {
      maxLength: 3,
    }),
  });
  fc.assert(
    fc.property(request, (trial) => {
      const clock = new FakeClock();
      const runtime = buildRuntime(SHOP, { nowMs: 0, compile: (block) => compileEngine(block, clock) });
      const reasons: string[] = [];
      const listener = {
        onFinding: ({ verdict, outcome }: { verdict: { reason: string }; outcome: string }) =>
          reasons.push(`${outcome} ${verdict.reason}`),
        onEngineError: () => undefined,
      };
      const outcome = new Decision(runtime, listener).decideHeaders(new TrialView(trial), false);
      const explained = explainRequest(SHOP, trial, { clock });
      expect(explained.verdict).toBe(typeof outcome === 'object' ? 'blocked' : 'allowed');
      const acting = explained.engines.filter(({ effect }) => effect === 'blocked' || effect === 'detected');
      expect([...new Set(acting.map(({ effect, reason }) => `${effect} ${reason}`))]).toEqual([...new Set(reasons)]);
    }),
    { numRuns: 500 },
  );
});
