import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EffectiveDomain } from './effective.ts';
import { loadPolicyFiles } from './load.ts';

function loadDomains(spec: unknown): readonly EffectiveDomain[] {
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return loaded.value.domains;
}

const LIMIT = { requests_per_second: 5 };
const KEYS = { keys: [{ key: 'k1' }] };

describe('inheritance', () => {
  it('passes a block of the domain to its routes as the same object', () => {
    const [domain] = loadDomains({
      domains: [
        {
          hosts: ['a.example.com'],
          policy: { engines: { rate_limit: LIMIT } },
          routes: ['/a', '/b'].map((path_prefix) => ({ match: { path_prefix }, policy: {} })),
        },
      ],
    });
    const blocks = [domain?.policy, ...(domain?.routes ?? []).map((route) => route.policy)].map((p) => p?.engines[0]);
    expect(blocks[0]).toBeDefined();
    expect(new Set(blocks).size).toBe(1);
  });

  it('creates a separate block for every written one, even if the text is equal', () => {
    const [domain, other] = loadDomains({
      domains: [
        {
          hosts: ['a.example.com'],
          policy: { engines: { rate_limit: LIMIT } },
          routes: [{ match: { path_prefix: '/a' }, policy: { engines: { rate_limit: LIMIT } } }],
        },
        { hosts: ['b.example.com'], policy: { engines: { rate_limit: LIMIT } } },
      ],
    });
    const blocks = [domain?.policy, domain?.routes[0]?.policy, other?.policy].map((p) => p?.engines[0]);
    expect(new Set(blocks).size).toBe(3);
    expect(new Set(blocks.flatMap((block) => block?.carryKeys)).size).toBe(3);
  });

  it('replaces one engine and keeps the others; null disables one', () => {
    const [domain] = loadDomains({
      domains: [
        {
          hosts: ['a.example.com'],
          policy: { engines: { rate_limit: LIMIT, api_key: KEYS } },
          routes: [
            { match: { path_prefix: '/own' }, policy: { engines: { rate_limit: { requests_per_second: 1 } } } },
            { match: { path_prefix: '/open' }, policy: { engines: { api_key: null } } },
          ],
        },
      ],
    });
    const [own, open] = domain?.routes ?? [];
    expect(domain?.policy.engines.map((block) => block.engine)).toEqual(['rate_limit', 'api_key']);
    expect(own?.policy.engines[1]).toBe(domain?.policy.engines[1]);
    expect(own?.policy.engines[0]?.options).toMatchObject({ rate: 1, burst: 1 });
    expect(open?.policy.engines).toEqual([domain?.policy.engines[0]]);
  });

  it('gives every route, per engine, its own block or else that of the domain, unless it is null', () => {
    const rate = fc.integer({ min: 1, max: 3 }).map((requests_per_second) => ({ requests_per_second }));
    const keys = fc.constantFrom('k1', 'k2').map((key) => ({ keys: [{ key }] }));
    const written = <T>(block: fc.Arbitrary<T>) => fc.oneof(fc.constant(undefined), fc.constant(null), block);
    const policy = fc.record({
      mode: fc.constantFrom(undefined, 'block', 'detect'),
      engines: fc.record({ api_key: written(keys), rate_limit: written(rate) }),
    });
    fc.assert(
      fc.property(
        policy,
        fc.array(policy, { maxLength: 4 }),
        fc.constantFrom(undefined, 'detect'),
        (own, routes, mode) => {
          const [domain] = loadDomains({
            defaults: { mode },
            domains: [
              {
                hosts: ['*'],
                policy: own,
                routes: routes.map((route, n) => ({ match: { path_prefix: `/${n}` }, policy: route })),
              },
            ],
          });
          expect(domain?.policy.mode).toBe(own.mode ?? mode ?? 'block');
          for (const [n, route] of routes.entries()) {
            const effective = domain?.routes[n]?.policy;
            expect(effective?.mode).toBe(route.mode ?? own.mode ?? mode ?? 'block');
            for (const name of ['api_key', 'rate_limit'] as const) {
              const found = effective?.engines.find((block) => block.engine === name);
              const inherited = domain?.policy.engines.find((block) => block.engine === name);
              if (route.engines[name] === null) expect(found).toBeUndefined();
              else if (route.engines[name] === undefined) expect(found).toBe(inherited);
              else {
                expect(found).toBeDefined();
                expect(found).not.toBe(inherited);
              }
            }
          }
        },
      ),
    );
  });

  it('takes the mode from the route, the domain or the defaults, else block; and fails closed', () => {
    const spec = (defaults: object) => ({
      defaults,
      domains: [
        {
          hosts: ['a.example.com'],
          policy: { mode: 'detect' },
          routes: [
            { match: { path_prefix: '/x' }, policy: { mode: 'block' } },
            { match: { path_prefix: '/y' }, policy: {} },
          ],
        },
        { hosts: ['b.example.com'] },
      ],
    });
    const modes = (domains: readonly EffectiveDomain[]) =>
      domains.map((domain) => [domain.policy.mode, ...domain.routes.map((route) => route.policy.mode)]);
    expect(modes(loadDomains(spec({})))).toEqual([['detect', 'block', 'detect'], ['block']]);
    const [, open] = loadDomains(spec({ mode: 'detect', fail_mode: 'fail_open' }));
    expect(open?.policy).toMatchObject({ mode: 'detect', failMode: 'fail_open' });
    expect(loadDomains(spec({}))[0]?.policy.failMode).toBe('fail_close');
  });

  it('keeps the carry keys of a block that only moved, and changes them with content or place', () => {
    const carry = (limit: object, prefix: string, mode = 'block') =>
      loadDomains({
        domains: [
          { hosts: ['z.example.com'] },
          {
            hosts: ['a.example.com'],
            routes: [{ match: { path_prefix: prefix }, policy: { mode, engines: { rate_limit: limit } } }],
          },
        ].sort(() => (mode === 'block' ? 1 : -1)),
      })
        .flatMap((domain) => domain.routes)
        .flatMap((route) => route.policy.engines[0]?.carryKeys ?? []);
    const before = carry({ requests_per_second: 3 }, '/a');
    expect(carry({ burst: 0, key: 'ip', requests_per_second: 3 }, '//a', 'detect')).toEqual(before);
    expect(carry({ requests_per_second: 4 }, '/a')).not.toEqual(before);
    expect(carry({ requests_per_second: 3 }, '/b')).not.toEqual(before);
  });

  it('derives the burst from the rate, at least 1, without rounding', () => {
    const burst = (limit: object) =>
      loadDomains({ domains: [{ hosts: ['*'], policy: { engines: { rate_limit: limit } } }] })[0]?.policy.engines[0]
        ?.options;
    expect(burst({ requests_per_second: 2.5 })).toMatchObject({ rate: 2.5, burst: 2.5 });
    expect(burst({ requests_per_second: 0.2, burst: 0 })).toMatchObject({ rate: 0.2, burst: 1 });
    expect(burst({ requests_per_second: 10, burst: 3 })).toMatchObject({ burst: 3 });
  });

  it('withholds a subject header from clients on every route of the domain, even where its engine is off', () => {
    const [domain] = loadDomains({
      domains: [
        {
          hosts: ['a.example.com'],
          policy: { engines: { api_key: { keys: [{ key: 'k' }], subject_header: 'X-User' } } },
          routes: [
            { match: { path_prefix: '/open' }, policy: { engines: { api_key: null } } },
            {
              match: { path_prefix: '/own' },
              policy: { engines: { api_key: { keys: [{ key: 'k' }], subject_header: 'x-own' } } },
            },
            { match: { path_prefix: '/same' }, policy: {} },
          ],
        },
        { hosts: ['b.example.com'] },
      ],
    });
    expect(domain?.policy.withheldHeaders).toEqual(['x-own']);
    expect(domain?.routes.map(({ policy }) => policy.withheldHeaders)).toEqual([
      ['x-own', 'x-user'],
      ['x-user'],
      ['x-own'],
    ]);
  });
});
