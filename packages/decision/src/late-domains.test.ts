import { generateKeyPairSync, sign } from 'node:crypto';
import { digestApiKey, type LoadedPolicies } from '@flotilla/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { headOf, packPolicies, unpackPolicies } from './packed-policies.ts';
import type { PolicyRuntime } from './runtime.ts';
import { RuntimeBuilder } from './runtime-builder.ts';
import { ask, at, domainOf, KEYED, loadSpecs, Workshop } from './testing/workshop.ts';

/** Issuers with long key sets; each signs with its own first key. */
const ISSUERS = Array.from({ length: 2 }, () => {
  const pairs = Array.from({ length: 10 }, () => generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  const keys = pairs.map(({ publicKey }, n) => ({ ...publicKey.export({ format: 'jwk' }), kid: `k${n}` }));
  return { jwks: JSON.stringify({ keys }), privateKey: pairs[0]?.privateKey };
});
const KEY_FILES = ISSUERS.map(({ jwks }, n) => ({ path: `files/issuer${n}`, content: jwks }));
const TOKENS = ISSUERS.map(({ privateKey: key }) => {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode({ alg: 'ES256', kid: 'k0' })}.${encode({ sub: 'alice', exp: 2 ** 33 })}`;
  if (key === undefined) throw new Error('an issuer has no key');
  return `Bearer ${text}.${sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`;
});

const load = (...specs: readonly object[]) => loadSpecs(specs, KEY_FILES);

const names = ['a', 'b', 'A', 'ab', ''];
const hostNames = ['a.example.com', 'b.example.com', 'c.b.example.com', 'other.test'];

const anyBlock = {
  api_key: fc.record({
    keys: fc.constantFrom(
      [{ key: 'one', subject: 'alice' }],
      [{ key: 'two' }, { key: 'one', subject: 'bob', scopes: ['admin'] }],
    ),
    require_scope_for_path: fc.constantFrom(undefined, [{ path_prefix: '/a/b', scope: 'admin' }]),
    subject_header: fc.constantFrom(undefined, 'x-user'),
    strip_credential: fc.constantFrom(undefined, true),
  }),
  rate_limit: fc.record({ requests_per_second: fc.constant(0.001), burst: fc.integer({ min: 1, max: 3 }) }),
  graphql: fc.record({ max_depth: fc.integer({ min: 1, max: 5 }) }),
};

const anyPolicy = fc.record(
  {
    mode: fc.constantFrom('block', 'detect'),
    engines: fc.record(
      {
        api_key: fc.option(anyBlock.api_key),
        rate_limit: fc.option(anyBlock.rate_limit),
        graphql: fc.option(anyBlock.graphql),
      },
      { requiredKeys: [] },
    ),
    block_response: fc.constantFrom(
      { format: 'problem_json' },
      { unauthorized_status: 401, realm: 'é" \\'.slice(2, 3) },
    ),
  },
  { requiredKeys: [] },
);

const anyPath = fc.array(fc.constantFrom(...names), { maxLength: 3 }).map((segments) => `/${segments.join('/')}`);

const anyDomain = fc.record({
  policy: anyPolicy,
  routes: fc.uniqueArray(fc.record({ match: fc.record({ path_prefix: anyPath }), policy: anyPolicy }), {
    maxLength: 6,
    selector: ({ match }) => match.path_prefix.replace(/\/+/g, '/').replace(/\/$/, ''),
  }),
});

/** Up to four domains with disjoint hosts, in one or two documents. */
const anyBundle = fc
  .tuple(
    fc.array(anyDomain, { minLength: 1, maxLength: 4 }),
    fc.shuffledSubarray(['a.example.com', 'b.example.com', '*.example.com', '*'], { minLength: 4 }),
    fc.integer({ min: 0, max: 4 }),
  )
  .map(([domains, hosts, split]) => {
    const hosted = domains.map((domain, n) => ({
      ...domain,
      hosts: n === domains.length - 1 ? hosts.slice(n) : hosts.slice(n, n + 1),
    }));
    const defaults = { inspect_request_body: true, max_request_body_bytes: 1000 };
    return [hosted.slice(0, split), hosted.slice(split)].map((list, n) => ({
      defaults: { ...defaults, timeout: `${10 + n}ms` },
      domains: list,
    }));
  });

const anyTrial = fc.record({
  host: fc.constantFrom(...hostNames),
  path: anyPath.map((path) => `${path}%2fb`.slice(0, path.length + (path.length % 2) * 4)),
  key: fc.constantFrom('', 'one', 'two', 'three'),
  user: fc.constantFrom('', 'mallory'),
});

describe('a bundle whose domains are created on demand', () => {
  it('decides like one whose domains were created before, also after a reload', () => {
    let judged = 0;
    fc.assert(
      fc.property(anyBundle, anyBundle, fc.array(anyTrial, { minLength: 4, maxLength: 12 }), (one, two, trials) => {
        const [early, late] = [new Workshop(), new Workshop()];
        let held: readonly [PolicyRuntime, PolicyRuntime] | undefined;
        for (const specs of [one, one, two, one]) {
          const loaded = load(...specs);
          held = [early.early(loaded, held?.[0]), late.late(loaded, held?.[1])];
          const [first, second] = held;
          expect(second.limiters.length).toBe(first.limiters.length);
          expect([...second.byCarryKey.keys()]).toEqual([...first.byCarryKey.keys()]);
          expect([second.bodyMaxBytes, second.budgetMs]).toEqual([first.bodyMaxBytes, first.budgetMs]);
          for (const trial of trials) {
            expect(ask(second, trial)).toEqual(ask(first, trial));
            judged += 1;
          }
        }
        expect(late.counters.read().counters).toEqual(early.counters.read().counters);
      }),
      { numRuns: 150 },
    );
    expect(judged).toBeGreaterThan(1000);
  });

  it('equals the bundle that it was packed from, and its policies share the same blocks', () => {
    fc.assert(
      fc.property(anyBundle, (specs) => {
        const loaded = load(...specs);
        const again = unpackPolicies(headOf(loaded), packPolicies(loaded.domains));
        expect(again).toEqual(loaded);
        const sharing = ({ domains }: LoadedPolicies) => {
          const blocks = domains.flatMap(({ policy, routes }) =>
            [policy, ...routes.map((route) => route.policy)].flatMap(({ engines }) => engines),
          );
          return blocks.map((block) => blocks.indexOf(block));
        };
        expect(sharing(again)).toEqual(sharing(loaded));
      }),
      { numRuns: 100 },
    );
  });

  const engineOf = (runtime: PolicyRuntime, host: string, name: string) =>
    runtime.index
      .findDomain(host)
      ?.findPolicy('/')
      .engines.find((engine) => engine.name === name);

  it('checks domains against their own keys if several domains have long key sets', () => {
    const anyEngines = fc.record(
      {
        jwt: fc.record({
          algorithms: fc.constant(['ES256']),
          jwks_file: fc.constantFrom('files/issuer0', 'files/issuer1'),
        }),
        api_key: fc.integer({ min: 1, max: 30 }).map((count) => ({
          keys: Array.from({ length: count }, (_, n) => ({
            key: n === 0 ? 'one' : `${count}-${n}`,
            scopes: ['some', 'more'],
          })),
        })),
      },
      { requiredKeys: [] },
    );
    const anyDomains = fc.array(fc.tuple(anyEngines, anyEngines), { minLength: 2, maxLength: 8 });
    const verdicts = new Set<unknown>();
    fc.assert(
      fc.property(anyDomains, anyDomains, fc.nat(), (one, two, start) => {
        const [early, late] = [new Workshop(), new Workshop()];
        let held: readonly [PolicyRuntime, PolicyRuntime] | undefined;
        for (const engines of [one, two, two]) {
          const domains = engines.map(([own, routed], n) => ({
            hosts: [`h${n}.test`],
            policy: { engines: own },
            routes: [{ match: { path_prefix: '/r' }, policy: { engines: routed } }],
          }));
          const loaded = load({ domains });
          const pieces = [...packPolicies(loaded.domains)];
          expect(unpackPolicies(headOf(loaded), pieces)).toEqual(loaded);
          held = [early.early(loaded, held?.[0]), late.late(loaded, held?.[1])];
          const [first, second] = held;
          for (const [n, token] of domains.flatMap((_, n) => ['', ...TOKENS].map((token) => [n, token] as const))) {
            const host = `h${(n + start) % domains.length}.test`;
            for (const trial of [at(host), at(host, '/r')]) {
              const said = ask(second, { ...trial, token });
              expect(said).toEqual(ask(first, { ...trial, token }));
              verdicts.add(said.findings[0]?.split(' ')[4] ?? said.answer);
            }
          }
        }
      }),
      { numRuns: 40 },
    );
    expect([...verdicts].toSorted()).toEqual(['allow', 'jwt.invalid', 'jwt.missing']);
  });

  it('creates only the limiters of a domain before a request asks for it', () => {
    const workshop = new Workshop();
    const runtime = workshop.late(load({ domains: [domainOf('a.test'), domainOf('b.test')] }));
    expect(workshop.made).toEqual(['rate_limit', 'rate_limit']);
    expect(ask(runtime, at('b.test')).answer).toBe('allow');
    expect(ask(runtime, at('b.test')).findings).toEqual(['p0  blocked rate_limit ratelimit.exceeded 429']);
    expect(workshop.made).toEqual(['rate_limit', 'rate_limit', 'api_key']);
    expect(runtime.makeAwaited()).toBe(false);
  });

  it('keeps limiters through bundles in which nobody asked for them', () => {
    const workshop = new Workshop();
    const specs = (n: number) => ({ domains: [domainOf('a.test'), domainOf(`n${n}.test`)] });
    let runtime = workshop.late(load(specs(0)));
    ask(runtime, at('a.test'));
    for (let n = 1; n < 5; n++) runtime = workshop.late(load(specs(n)), runtime);
    expect(ask(runtime, at('a.test')).findings).toEqual(['p0  blocked rate_limit ratelimit.exceeded 429']);
  });

  it('keeps the caches of engines in use through bundles that come faster than requests, and drops changed ones', () => {
    const workshop = new Workshop();
    const first = workshop.late(load({ domains: [domainOf('a.test'), domainOf('b.test')] }));
    ask(first, at('a.test'));
    const engine = engineOf(first, 'a.test', 'api_key');
    let runtime = first;
    for (let n = 0; n < 3; n++) {
      runtime = workshop.late(
        load({ domains: [domainOf(`n${n}.test`), domainOf('a.test'), domainOf('b.test')] }),
        runtime,
      );
    }
    expect(engineOf(runtime, 'a.test', 'api_key')).toBe(engine);
    const changed = domainOf('a.test', { api_key: { keys: [{ sha256: digestApiKey('two') }] } });
    runtime = workshop.late(load({ domains: [changed] }), runtime);
    expect(engineOf(runtime, 'a.test', 'api_key')).not.toBe(engine);
    expect(ask(runtime, at('a.test')).findings).toEqual(['p0  blocked api_key apikey.unknown 403']);
  });

  it('gives a cached engine to one of two domains that were one', () => {
    const workshop = new Workshop();
    const both = { hosts: ['a.test', 'b.test'], policy: { engines: KEYED } };
    const first = workshop.late(load({ domains: [both] }));
    ask(first, at('a.test'));
    const second = workshop.late(load({ domains: [domainOf('a.test', KEYED), domainOf('b.test', KEYED)] }), first);
    const engines = ['b.test', 'a.test'].map((host) => engineOf(second, host, 'api_key'));
    expect(engines[0]).toBe(engineOf(first, 'a.test', 'api_key'));
    expect(engines[1]).not.toBe(engines[0]);
  });

  it('creates the domains that were in use after the reload, and no others', () => {
    const workshop = new Workshop();
    const loaded = load({ domains: ['a.test', 'b.test', 'c.test'].map((host) => domainOf(host, KEYED)) });
    const first = workshop.late(loaded);
    for (const host of ['a.test', 'c.test']) ask(first, at(host));
    const changed = ['a.test', 'b.test', 'c.test'].map((host) =>
      domainOf(host, { api_key: { keys: [{ sha256: digestApiKey(host) }] } }),
    );
    const second = workshop.late(load({ domains: changed }), first);
    workshop.made.length = 0;
    while (second.makeAwaited());
    expect(workshop.made).toEqual(['api_key', 'api_key']);
    for (const host of ['a.test', 'c.test']) ask(second, at(host));
    expect(workshop.made.length).toBe(2);
    ask(second, at('b.test'));
    expect(workshop.made.length).toBe(3);
  });

  it('creates after the next reload only what requests asked for since the last one', () => {
    const workshop = new Workshop();
    const version = (n: number) =>
      load({
        domains: ['a.test', 'b.test'].map((host) =>
          domainOf(host, { api_key: { keys: [{ sha256: digestApiKey('one') }, { sha256: digestApiKey(`${n}`) }] } }),
        ),
      });
    let runtime = workshop.late(version(0));
    for (const host of ['a.test', 'b.test']) ask(runtime, at(host));
    for (const [n, awaited] of [2, 1, 1, 0, 0].entries()) {
      runtime = workshop.late(version(n + 1), runtime);
      workshop.made.length = 0;
      while (runtime.makeAwaited());
      expect(workshop.made.length).toBe(awaited);
      if (n < 2) ask(runtime, at('b.test'));
    }
  });

  it('drops the caches of a domain that nobody has asked for in a minute', () => {
    const workshop = new Workshop();
    const loaded = load({ domains: [domainOf('a.test', KEYED)] });
    const late = (nowMs: number, previous?: PolicyRuntime) => {
      const builder = new RuntimeBuilder(headOf(loaded), { ...workshop.options(previous), nowMs });
      for (const piece of packPolicies(loaded.domains)) builder.add(piece);
      return builder.finish();
    };
    const first = late(0);
    ask(first, at('a.test'));
    const engine = engineOf(first, 'a.test', 'api_key');
    // The previous bundle may have been in effect for long; the domain was in use until then.
    const second = late(3_600_000, first);
    const third = late(3_660_000, second);
    expect(engineOf(late(3_660_000, second), 'a.test', 'api_key')).toBe(engine);
    expect(engineOf(late(3_660_001, third), 'a.test', 'api_key')).not.toBe(engine);
  });
});
