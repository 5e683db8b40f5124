import { digestApiKey } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { explainRequest } from './explain/explain-request.ts';
import { headOf, packPolicies } from './packed-policies.ts';
import type { PolicyRuntime } from './runtime.ts';
import { RuntimeBuilder } from './runtime-builder.ts';
import { ask, at, domainOf, KEYED, loadSpecs, Workshop } from './testing/workshop.ts';

const load = (...domains: readonly object[]) => loadSpecs([{ domains }]);
const keysOf = (...keys: readonly object[]) => ({ api_key: { keys } });
const ONE = { sha256: digestApiKey('one'), subject: 'first', requests_per_second: 0.001, burst: 1 };
const LIMITED = keysOf(ONE);

const answers = (runtime: PolicyRuntime, ...trials: readonly ReturnType<typeof at>[]) =>
  trials.map((trial) => {
    const { answer } = ask(runtime, trial);
    return typeof answer === 'object' ? answer.reason : answer;
  });

describe('the limits of keys', () => {
  it('are shared by the routes that inherit a block, and separate for blocks that are written twice', () => {
    const routes = [
      { match: { path_prefix: '/inherits' }, policy: {} },
      { match: { path_prefix: '/own' }, policy: { engines: LIMITED } },
    ];
    const loaded = load({ ...domainOf('a.test', LIMITED), routes }, domainOf('b.test', LIMITED));
    for (const runtime of [new Workshop().early(loaded), new Workshop().late(loaded)]) {
      expect(runtime.limiters.length).toBe(3);
      const trials = [at('a.test'), at('a.test', '/inherits'), at('a.test', '/own'), at('b.test')];
      expect(answers(runtime, ...trials)).toEqual(['allow', 'apikey.rate', 'allow', 'allow']);
    }
  });

  it('take one token for a request whose path has several readings', () => {
    const routes = [{ match: { path_prefix: '/inherits' }, policy: {} }];
    const keys = keysOf({ ...ONE, burst: 2 });
    const runtime = new Workshop().early(load({ ...domainOf('a.test', keys), routes }));
    const twice = at('a.test', '/x/..%2finherits');
    expect(answers(runtime, twice, twice, twice)).toEqual(['allow', 'allow', 'apikey.rate']);
  });

  it('are recorded in mode detect, and requests continue', () => {
    const runtime = new Workshop().early(load({ hosts: ['a.test'], policy: { mode: 'detect', engines: LIMITED } }));
    ask(runtime, at('a.test'));
    const { answer, findings } = ask(runtime, at('a.test'));
    expect([answer, findings]).toEqual(['allow', ['p0  detected api_key apikey.rate 429']]);
  });

  it('do not drop the identity when mode detect lets a request pass: the key was valid', () => {
    const engines = {
      api_key: { keys: [ONE], strip_credential: true, subject_header: 'x-user' },
    };
    const runtime = new Workshop().early(load({ hosts: ['a.test'], policy: { mode: 'detect', engines } }));
    const [within, beyond] = [ask(runtime, at('a.test')), ask(runtime, at('a.test'))];
    expect(beyond.findings).toEqual(['p0  detected api_key apikey.rate 429']);
    expect(beyond.grants).toEqual(within.grants);
    expect(beyond.grants).toMatchObject([{ subject: 'first', setHeaders: [['x-user', 'first']] }]);
    const unknown = ask(runtime, { ...at('a.test'), key: 'nope' });
    expect(unknown.grants).toMatchObject([{ removeHeaders: ['x-api-key'] }]);
    expect(unknown.grants[0]?.setHeaders).toBeUndefined();
  });

  it('stay 429 if a policy answers wrong credentials with 401', () => {
    const policy = { engines: LIMITED, block_response: { unauthorized_status: 401 } };
    const runtime = new Workshop().early(load({ hosts: ['a.test'], policy }));
    ask(runtime, at('a.test'));
    expect(ask(runtime, at('a.test')).answer).toMatchObject({ status: 429, retryAfterSeconds: 1000, subject: 'first' });
  });

  it('survive a reload if the block did not change, and restart if it did', () => {
    const workshop = new Workshop();
    const first = workshop.late(load(domainOf('a.test', LIMITED)));
    expect(answers(first, at('a.test'))).toEqual(['allow']);
    const second = workshop.late(load(domainOf('b.test', KEYED), domainOf('a.test', LIMITED)), first);
    expect(answers(second, at('a.test'))).toEqual(['apikey.rate']);
    const third = workshop.early(load(domainOf('a.test', LIMITED)), second);
    expect(answers(third, at('a.test'))).toEqual(['apikey.rate']);
    const two = keysOf({ ...ONE, sha256: digestApiKey('two') }, ONE);
    expect(answers(workshop.late(load(domainOf('a.test', two)), third), at('a.test'))).toEqual(['allow']);
  });

  it.each([
    ['a small domain', 1],
    ['one with thousands of keys', 3000],
  ])('are shared by all threads, through reloads: %s', (_, count) => {
    const others = Array.from({ length: count }, (_, n) => ({ sha256: digestApiKey(`k${n}`), requests_per_second: 5 }));
    const bundles = [
      load(domainOf('a.test', keysOf(ONE, ...others))),
      load(domainOf('b.test', LIMITED), domainOf('a.test', keysOf(ONE, ...others))),
    ];
    const workshop = new Workshop();
    let here: PolicyRuntime | undefined;
    let there: PolicyRuntime | undefined;
    const outcomes: string[] = [];
    for (const loaded of bundles) {
      const head = headOf(loaded);
      const ours = new RuntimeBuilder(head, workshop.options(here));
      const theirs = new RuntimeBuilder(head, workshop.options(there));
      for (const piece of packPolicies(loaded.domains)) theirs.add(piece, ours.add(piece));
      here = ours.finish();
      there = theirs.finish();
      outcomes.push(...answers(there, at('a.test')), ...answers(here, at('a.test')));
    }
    expect(outcomes).toEqual(['allow', 'apikey.rate', 'apikey.rate', 'apikey.rate']);
  });

  it('cost nothing in a bundle without them: its keys are loaded at their first request', () => {
    const workshop = new Workshop();
    const runtime = workshop.late(load(domainOf('a.test', KEYED)));
    expect([workshop.made, runtime.limiters]).toEqual([[], []]);
  });

  it('appear in explanations for the presented key, which take no token', () => {
    const loaded = load(domainOf('a.test', keysOf(ONE, { sha256: digestApiKey('two') })));
    const limiterOf = (key: string) => {
      const url = 'http://a.test/';
      return explainRequest(loaded, { method: 'GET', url, headers: [['x-api-key', key]] }).engines[0]?.limiter;
    };
    const limiter = { key: 'api_key', header: null, value: null, has_key: true };
    expect(limiterOf('one')).toEqual({ ...limiter, requests_per_second: 0.001, burst: 1, shared_by: 1 });
    expect(limiterOf('one')).toMatchObject(limiter);
    expect([limiterOf('two'), limiterOf('nope')]).toEqual([null, null]);
  });
});
