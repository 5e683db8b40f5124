import { type CompiledEngine, compileEngine, type RequestView } from '@flotilla/engines';
import { digestApiKey, loadPolicyFiles, readPath } from '@flotilla/policy';
import { UNLISTED_PATH } from '@flotilla/policy/testing';
import { describe, expect, it } from 'vitest';
import { Decision, type DecisionListener, type Finding } from './decision.ts';
import { CounterBook } from './policy-counters.ts';
import type { PolicyRuntime } from './runtime.ts';
import { buildRuntime } from './runtime-builder.ts';

function build(spec: unknown, options: Partial<Parameters<typeof buildRuntime>[1]> = {}): PolicyRuntime {
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return buildRuntime(loaded.value, { nowMs: 0, ...options });
}

function requestOf(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  host = 'api.example.com',
): RequestView {
  const header = (name: string) => (headers[name] === undefined ? [] : [headers[name]]);
  return {
    method: 'GET',
    host,
    rawPath: path,
    query: '',
    paths: readPath(path),
    sourceIp: '192.0.2.1',
    header,
    findNames: () => [],
  };
}

/** Records the events of a decision. */
class Notes implements DecisionListener {
  readonly lines: string[] = [];
  onFinding({ engine, verdict, outcome }: Finding): void {
    this.lines.push(`${outcome} ${engine} ${verdict.reason}`);
  }
  onEngineError(engine: string): void {
    this.lines.push(`broken ${engine}`);
  }
}

function ask(runtime: PolicyRuntime, request: RequestView): { answer: string; notes: string[] } {
  const notes = new Notes();
  const outcome = new Decision(runtime, notes).decideHeaders(request, false);
  return { answer: typeof outcome === 'object' ? `${outcome.status} ${outcome.reason}` : outcome, notes: notes.lines };
}

const ENGINES = { api_key: { keys: [{ key: 'k1' }] }, rate_limit: { requests_per_second: 0.001, burst: 1 } };
const domain = (mode: string, extra: object = {}) => ({
  domains: [{ hosts: ['api.example.com'], policy: { mode, engines: ENGINES }, ...extra }],
});

describe('decide', () => {
  it('allows a host that no domain covers, and a domain without engines', () => {
    const runtime = build({ domains: [{ hosts: ['api.example.com'] }] });
    expect(ask(runtime, requestOf('/')).answer).toBe('allow');
    expect(ask(runtime, requestOf('/', {}, 'other.example.com')).answer).toBe('allow');
  });

  it('in mode block answers with the first block; a flood is limited before it costs a hash', () => {
    const runtime = build(domain('block'));
    expect(ask(runtime, requestOf('/'))).toEqual({
      answer: '403 apikey.missing',
      notes: ['blocked api_key apikey.missing'],
    });
    expect(ask(runtime, requestOf('/', { 'x-api-key': 'k1' }))).toEqual({
      answer: '429 ratelimit.exceeded',
      notes: ['blocked rate_limit ratelimit.exceeded'],
    });
  });

  it('checks the credential first if the limiter counts by it: a wrong key takes no token and creates no bucket', () => {
    const engines = { ...ENGINES, rate_limit: { ...ENGINES.rate_limit, key: 'header', header: 'X-API-Key' } };
    const runtime = build({ domains: [{ hosts: ['api.example.com'], policy: { engines } }] });
    expect(ask(runtime, requestOf('/', { 'x-api-key': 'no' })).answer).toBe('403 apikey.unknown');
    expect(ask(runtime, requestOf('/', { 'x-api-key': 'no' })).answer).toBe('403 apikey.unknown');
    expect(ask(runtime, requestOf('/', { 'x-api-key': 'k1' })).answer).toBe('allow');
    expect(ask(runtime, requestOf('/', { 'x-api-key': 'k1' })).answer).toBe('429 ratelimit.exceeded');
  });

  it('in mode detect records what every engine would have blocked and lets the request continue', () => {
    const runtime = build(domain('detect'));
    expect(ask(runtime, requestOf('/'))).toEqual({ answer: 'allow', notes: ['detected api_key apikey.missing'] });
    expect(ask(runtime, requestOf('/'))).toEqual({
      answer: 'allow',
      notes: ['detected rate_limit ratelimit.exceeded', 'detected api_key apikey.missing'],
    });
  });

  it('shares one limiter between routes that inherit it, but not between blocks that are written twice', () => {
    const route = (path_prefix: string, engines: object) => ({ match: { path_prefix }, policy: { engines } });
    const runtime = build({
      domains: [
        {
          hosts: ['api.example.com'],
          policy: { engines: { rate_limit: ENGINES.rate_limit } },
          routes: [
            route('/a', {}),
            route('/b', {}),
            route('/own', { rate_limit: ENGINES.rate_limit }),
            route('/off', { rate_limit: null }),
          ],
        },
      ],
    });
    const answers = ['/a', '/b', '/', '/own', '/own', '/off', '/off'].map(
      (path) => ask(runtime, requestOf(path)).answer,
    );
    expect(answers).toEqual([
      'allow',
      '429 ratelimit.exceeded',
      '429 ratelimit.exceeded',
      'allow',
      '429 ratelimit.exceeded',
      'allow',
      'allow',
    ]);
  });

  it('applies the policies of all routes to a path that may be any path', () => {
    const guarded = { mode: 'block', engines: { api_key: ENGINES.api_key } };
    const [open, admin] = [{}, guarded].map((policy, n) => ({ match: { path_prefix: `/r${n}` }, policy }));
    const runtime = build({ domains: [{ hosts: ['api.example.com'], policy: {}, routes: [open, admin] }] });
    expect(ask(runtime, requestOf('/r0')).answer).toBe('allow');
    expect(ask(runtime, requestOf(UNLISTED_PATH)).answer).toBe('403 apikey.missing');
  });

  it('applies the policy of each reading of a path, and takes one token of a limiter they share', () => {
    const runtime = build({
      domains: [
        {
          hosts: ['api.example.com'],
          policy: { engines: { rate_limit: { requests_per_second: 0.001, burst: 3 } } },
          routes: [
            { match: { path_prefix: '/admin' }, policy: { engines: { api_key: ENGINES.api_key } } },
            { match: { path_prefix: '/watch' }, policy: { mode: 'detect', engines: { api_key: ENGINES.api_key } } },
          ],
        },
      ],
    });
    expect(ask(runtime, requestOf('/public/..;/admin')).answer).toBe('403 apikey.missing');
    expect(ask(runtime, requestOf('/public/..;/watch')).notes).toEqual(['detected api_key apikey.missing']);
    // The two requests above took one token each; one is left.
    expect([1, 2].map(() => ask(runtime, requestOf('/')).answer)).toEqual(['allow', '429 ratelimit.exceeded']);
  });

  describe('with an engine that breaks', () => {
    const broken = (spec: object) =>
      build(spec, {
        compile: (block): CompiledEngine =>
          block.engine === 'rate_limit'
            ? {
                name: 'rate_limit',
                decide: () => {
                  throw new Error('broken');
                },
              }
            : compileEngine(block),
      });
    const spec = (mode: string, fail_mode: string) => ({ ...domain(mode), defaults: { fail_mode } });

    it('fail_close blocks with 403', () => {
      expect(ask(broken(spec('block', 'fail_close')), requestOf('/', { 'x-api-key': 'k1' }))).toEqual({
        answer: '403 engine.error',
        notes: ['broken rate_limit', 'blocked rate_limit engine.error'],
      });
    });

    it('fail_close in mode detect is counted and lets the request through', () => {
      expect(ask(broken(spec('detect', 'fail_close')), requestOf('/', { 'x-api-key': 'k1' }))).toEqual({
        answer: 'allow',
        notes: ['broken rate_limit', 'detected rate_limit engine.error'],
      });
    });

    it('fail_open lets the request through, but never one without its credential', () => {
      const runtime = broken(spec('block', 'fail_open'));
      expect(ask(runtime, requestOf('/', { 'x-api-key': 'k1' })).answer).toBe('allow');
      expect(ask(runtime, requestOf('/')).answer).toBe('403 apikey.missing');
      expect(ask(runtime, requestOf('/', { 'x-api-key': 'no' })).answer).toBe('403 apikey.unknown');
    });
  });
});

it('removes the subject header from requests to routes on which its engine is off', () => {
  const engines = { api_key: { keys: [{ key: 'k1', subject: 'alice' }], subject_header: 'X-User' } };
  const runtime = build({
    domains: [
      {
        hosts: ['api.example.com'],
        policy: { engines },
        routes: ['/open', '/health'].map((path_prefix) => ({
          match: { path_prefix },
          policy: { engines: { api_key: null } },
        })),
      },
      { hosts: ['other.example.com'] },
    ],
  });
  const grantsOf = (path: string, host?: string) => {
    const decision = new Decision(runtime, new Notes());
    expect(decision.decideHeaders(requestOf(path, { 'x-api-key': 'k1' }, host), false)).toBe('allow');
    return decision.grants;
  };
  expect(grantsOf('/open')).toMatchObject([{ ownHeaders: { names: ['x-user'] } }]);
  expect(grantsOf('/open')[0]?.setHeaders).toBeUndefined();
  expect(grantsOf('/health')[0]).toBe(grantsOf('/open')[0]);
  expect(grantsOf('/')).toMatchObject([{ subject: 'alice', setHeaders: [['x-user', 'alice']] }]);
  expect(grantsOf('/open', 'other.example.com')).toEqual([]);
});

describe('a reload', () => {
  const limited = (limit: object, extra: object = {}) => ({
    domains: [{ hosts: ['a.example.com', 'api.example.com'], policy: { engines: { rate_limit: limit } }, ...extra }],
  });
  const exhaust = (runtime: PolicyRuntime) => ask(runtime, requestOf('/')).answer;

  it('keeps the limiter of an unchanged block, whatever else changed', () => {
    const first = build(limited(ENGINES.rate_limit));
    expect(exhaust(first)).toBe('allow');
    const other = {
      domains: [
        { hosts: ['new.example.com'] },
        ...limited(
          { burst: 1, requests_per_second: 0.001, key: 'ip' },
          { routes: [{ match: { path_prefix: '/x' }, policy: {} }] },
        ).domains,
      ],
    };
    const second = build(other, { previous: first });
    expect(exhaust(second)).toBe('429 ratelimit.exceeded');
    const third = build(
      { domains: [{ ...limited(ENGINES.rate_limit).domains[0], hosts: ['api.example.com', 'added.example.com'] }] },
      { previous: second },
    );
    expect(exhaust(third)).toBe('429 ratelimit.exceeded');
  });

  it('resets a changed block', () => {
    const first = build(limited(ENGINES.rate_limit));
    exhaust(first);
    expect(exhaust(build(limited({ requests_per_second: 0.002, burst: 1 }), { previous: first }))).toBe('allow');
  });

  it('gives an old limiter to one new block only', () => {
    const first = build(limited(ENGINES.rate_limit));
    exhaust(first);
    const policy = { engines: { rate_limit: ENGINES.rate_limit } };
    const split = build(
      {
        domains: [
          { hosts: ['a.example.com'], policy },
          { hosts: ['api.example.com'], policy },
        ],
      },
      { previous: first },
    );
    expect(split.limiters.length).toBe(2);
    expect(new Set(split.limiters).size).toBe(2);
  });

  it('rejects a removed key', () => {
    const keys = (key: string) => ({
      domains: [
        { hosts: ['api.example.com'], policy: { engines: { api_key: { keys: [{ sha256: digestApiKey(key) }] } } } },
      ],
    });
    const first = build(keys('k1'));
    const second = build(keys('k2'), { previous: first });
    expect(ask(second, requestOf('/', { 'x-api-key': 'k1' })).answer).toBe('403 apikey.unknown');
  });
});

describe('the counts of a policy', () => {
  const count = (book: CounterBook) =>
    book
      .read()
      .counters.map(({ policy, engine, reason, verdict, total }) =>
        [policy, engine, reason, verdict, total].filter((part) => part !== '').join(' '),
      );

  it('report allowed requests and blocks per engine, but no hosts that no domain covers', () => {
    const counters = new CounterBook();
    const engines = { ...ENGINES, rate_limit: { requests_per_second: 0.001, burst: 4 } };
    const runtime = build({ domains: [{ hosts: ['api.example.com'], policy: { engines } }] }, { counters });
    for (const key of ['k1', 'no', 'no', '', 'k1']) ask(runtime, requestOf('/', { 'x-api-key': key }));
    ask(runtime, requestOf('/', {}, 'other.example.com'));
    expect(count(counters)).toEqual([
      'p allowed 1',
      'p rate_limit ratelimit.exceeded blocked 1',
      'p api_key apikey.missing blocked 1',
      'p api_key apikey.unknown blocked 2',
    ]);
  });

  it('report findings of mode detect beside the requests that continued', () => {
    const counters = new CounterBook();
    const runtime = build(domain('detect'), { counters });
    for (let n = 0; n < 3; n++) ask(runtime, requestOf('/'));
    expect(count(counters)).toEqual([
      'p allowed 3',
      'p rate_limit ratelimit.exceeded detected 2',
      'p api_key apikey.missing detected 3',
    ]);
  });

  it('report an engine that fails, and the resulting block under fail_close', () => {
    const counters = new CounterBook();
    const compile = () => ({
      name: 'api_key' as const,
      decide: () => {
        throw new Error('broken');
      },
    });
    ask(build(domain('block'), { counters, compile }), requestOf('/'));
    expect(count(counters)).toEqual(['p api_key engine.error blocked 1', 'p api_key engine.error error 1']);
  });

  it('continue through a reload under the same epoch, and restart with another epoch in another run', () => {
    const counters = new CounterBook();
    const before = build(domain('detect'), { counters });
    ask(before, requestOf('/', { 'x-api-key': 'k1' }));
    const after = build(domain('detect'), { counters, previous: before });
    ask(after, requestOf('/', { 'x-api-key': 'k1' }));
    expect(count(counters)).toContain('p allowed 2');
    expect(new CounterBook().read()).toMatchObject({ counters: [] });
    expect(new CounterBook().epoch).not.toBe(counters.epoch);
  });

  it('count a path with several readings once', () => {
    const counters = new CounterBook();
    const runtime = build(
      {
        domains: [
          {
            hosts: ['api.example.com'],
            policy: { mode: 'detect', engines: { api_key: ENGINES.api_key } },
            routes: [{ match: { path_prefix: '/admin' }, policy: {} }],
          },
        ],
      },
      { counters },
    );
    ask(runtime, requestOf('/x/..%2fadmin'));
    expect(count(counters)).toEqual(['p allowed 1', 'p api_key apikey.missing detected 1']);
  });

  it('share one entry beyond a thousand names', () => {
    const counters = new CounterBook();
    for (let n = 0; n < 1003; n++) counters.countsOf(`p${n}`).countAllowed();
    const listed = counters.read().counters;
    expect(listed.length).toBe(1001);
    expect(listed.at(-1)).toMatchObject({ policy: '', total: 3 });
  });
});
