import { type CompiledEngine, compileEngine } from '@flotilla/engines';
import { digestApiKey, type EngineBlock } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { headOf, packPolicies, unpackPolicies } from './packed-policies.ts';
import { RuntimeBuilder } from './runtime-builder.ts';
import { ask, at, domainOf, KEYED, loadSpecs, Workshop } from './testing/workshop.ts';

const load = (...specs: readonly object[]) => loadSpecs(specs);

describe('a bundle with domains that are too large, broken or truncated', () => {
  it('retries on the next request a domain that could not be created', () => {
    const workshop = new Workshop();
    const loaded = load({ domains: [domainOf('a.test', KEYED)] });
    const first = workshop.late(loaded);
    ask(first, at('a.test'));
    let broken = 2;
    const compile = (block: EngineBlock): CompiledEngine => {
      broken -= 1;
      if (broken >= 0) throw new Error('broken');
      return compileEngine(block);
    };
    const changed = load({ domains: [domainOf('a.test', { api_key: { keys: [{ key: 'two' }] } })] });
    const builder = new RuntimeBuilder(headOf(changed), { ...workshop.options(first), compile });
    for (const piece of packPolicies(changed.domains)) builder.add(piece);
    const second = builder.finish();
    expect(() => second.makeAwaited()).toThrow('broken');
    expect(() => ask(second, at('a.test'))).toThrow('broken');
    expect(ask(second, at('a.test')).findings).toEqual(['p0  blocked api_key apikey.unknown 403']);
    expect(second.makeAwaited()).toBe(false);
  });

  it('creates large domains in parts before it takes effect, and finds each of their routes', () => {
    const routes = Array.from({ length: 10_000 }, (_, n) => ({
      match: { path_prefix: `/r${n}/${n % 7 === 0 ? 'Ä' : 'x'}` },
      policy: n % 2 === 0 ? {} : { engines: { rate_limit: { requests_per_second: 0.001, burst: 1 + (n % 3) } } },
    }));
    const loaded = load({ domains: [{ ...domainOf('a.test', KEYED), routes }, domainOf('b.test')] });
    const workshop = new Workshop();
    const late = workshop.late(loaded);
    expect(workshop.made.filter((name) => name === 'api_key').length).toBe(1);
    const pieces = [...packPolicies(loaded.domains)];
    expect(pieces.length).toBeGreaterThan(50);
    expect(Math.max(...pieces.map((piece) => piece.byteLength))).toBeLessThan(300_000);
    expect(unpackPolicies(headOf(loaded), pieces)).toEqual(loaded);
    const early = new Workshop().early(loaded);
    for (let n = 0; n < 10_000; n += 37) {
      for (const trial of [at('a.test', `/r${n}/x`), at('a.test', `/r${n}/x`), at('a.test', `/R${n}/%C3%84`)]) {
        expect(ask(late, trial)).toEqual(ask(early, trial));
      }
    }
  });

  it('creates a domain with thousands of keys before it takes effect', () => {
    const keys = Array.from({ length: 3000 }, (_, n) => ({ sha256: digestApiKey(`k${n}`) }));
    const workshop = new Workshop();
    const runtime = workshop.late(
      load({ domains: [domainOf('b.test', KEYED), domainOf('a.test', { api_key: { keys } })] }),
    );
    expect(workshop.made).toEqual(['api_key']);
    expect(ask(runtime, { ...at('a.test'), key: 'k2999' }).answer).toBe('allow');
  });

  it('is rejected if it was truncated inside a domain', () => {
    const routes = Array.from({ length: 10_000 }, (_, n) => ({ match: { path_prefix: `/r${n}` }, policy: {} }));
    // Also for a domain of three chunks.
    const short = Array.from({ length: 260 }, (_, n) => ({ match: { path_prefix: `/r${n}` }, policy: {} }));
    for (const loaded of [
      load({ domains: [domainOf('b.test'), { ...domainOf('a.test', KEYED), routes }] }),
      load({
        domains: [
          { ...domainOf('a.test', KEYED), routes },
          { ...domainOf('b.test', KEYED), routes: short },
        ],
      }),
    ]) {
      const pieces = [...packPolicies(loaded.domains)];
      for (const missing of [1, 5, pieces.length - 2, pieces.length - 1]) {
        const left = pieces.filter((_, n) => n !== missing);
        const build = () => {
          const builder = new RuntimeBuilder(headOf(loaded), { nowMs: 0 });
          for (const piece of left) builder.add(piece);
          return builder.finish();
        };
        expect(build).toThrow(/part|domains came/);
        expect(() => unpackPolicies(headOf(loaded), left)).toThrow(/part/);
      }
    }
  });

  it('is rejected before it is packed if an engine cannot be created from a block', () => {
    const loaded = load({ domains: [domainOf('a.test'), domainOf('b.test')] });
    const broken = loaded.domains.map((domain, n) => {
      const engines = domain.policy.engines.map((block) => ({ ...block, options: {} }) as EngineBlock);
      return n === 0 ? domain : { ...domain, policy: { ...domain.policy, engines } };
    });
    expect(() => [...packPolicies(broken)]).toThrow();
  });

  it('is rejected if a piece is missing', () => {
    const loaded = load({ domains: Array.from({ length: 1000 }, (_, n) => domainOf(`h${n}.test`)) });
    const pieces = [...packPolicies(loaded.domains)];
    expect(pieces.length).toBeGreaterThan(2);
    for (const missing of [0, 1, pieces.length - 1]) {
      const builder = new RuntimeBuilder(headOf(loaded), { nowMs: 0 });
      for (const [n, piece] of pieces.entries()) if (n !== missing) builder.add(piece);
      expect(() => builder.finish()).toThrow(/of 1000 domains/);
    }
  });
});
