import { gzipSync } from 'node:zlib';
import {
  ALLOW,
  AlikeNames,
  type BlockVerdict,
  type Budget,
  BudgetExceeded,
  type CompiledEngine,
  type Grant,
  type Verdict,
} from '@flotilla/engines';
import { loadPolicyFiles, readPath } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { ReceivedBody } from './body/received-body.ts';
import { Decision, type Finding } from './decision.ts';
import { CounterBook } from './policy-counters.ts';
import { buildRuntime } from './runtime-builder.ts';

const BLOCK: BlockVerdict = { kind: 'block', reason: 'ratelimit.exceeded', severity: 'medium', status: 403 };
const GRANT: Grant = { subject: 'alice' };
const WITHHELD: Grant = { ownHeaders: new AlikeNames(['x-user']) };

interface Scene {
  readonly defaults?: object;
  readonly mode?: 'block' | 'detect';
  readonly routes?: readonly object[];
  /** The engine's verdict on a body; throws to simulate a broken engine. */
  readonly onBody?: (body: string) => Verdict;
  readonly onHeaders?: () => Verdict;
  readonly wants?: () => boolean;
}

type SentBody = Partial<ConstructorParameters<typeof ReceivedBody>[0]> & {
  readonly text?: string;
  readonly headers?: Readonly<Record<string, readonly string[]>>;
};

/**
 * Two blocks are replaced by test engines: `rate_limit` by one that reads bodies, `api_key` by one that grants a
 * subject.
 */
function stage(scene: Scene) {
  const spec = {
    defaults: {
      inspect_request_body: true,
      max_request_body_bytes: 100,
      mode: scene.mode ?? 'block',
      ...scene.defaults,
    },
    domains: [
      {
        hosts: ['api.example.com'],
        policy: { engines: { rate_limit: { requests_per_second: 1 }, api_key: { keys: [{ key: 'k' }] } } },
        routes: scene.routes ?? [],
      },
    ],
  };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const asked: string[] = [];
  const budgets = new Set<Budget>();
  const reader: CompiledEngine = {
    name: 'rate_limit',
    decide: (_, budget) => {
      budgets.add(budget);
      return scene.onHeaders?.() ?? ALLOW;
    },
    withheld: WITHHELD,
    body: {
      wants: scene.wants ?? (() => true),
      decide: (_, body, budget) => {
        budgets.add(budget);
        asked.push(body.toString());
        return scene.onBody?.(body.toString()) ?? ALLOW;
      },
    },
  };
  const granting: CompiledEngine = { name: 'api_key', decide: () => ({ kind: 'allow', grant: GRANT }) };
  const counters = new CounterBook();
  const runtime = buildRuntime(loaded.value, {
    nowMs: 0,
    counters,
    compile: (block) => (block.engine === 'rate_limit' ? reader : granting),
  });
  const notes: string[] = [];
  const listener = {
    onFinding: ({ engine, verdict, outcome }: Finding) => void notes.push(`${outcome} ${engine} ${verdict.reason}`),
    onEngineError: (engine: string) => void notes.push(`broken ${engine}`),
  };
  const run = (path: string, body: SentBody = {}) => {
    notes.length = 0;
    const decision = new Decision(runtime, listener);
    const request = {
      method: 'POST',
      host: 'api.example.com',
      rawPath: path,
      query: '',
      paths: readPath(path),
      sourceIp: '192.0.2.1',
      header: (name: string) => body.headers?.[name] ?? [],
      findNames: () => [],
    };
    const head = decision.decideHeaders(request, true);
    if (head !== 'body') return { answer: typeof head === 'object' ? head.reason : head, notes, decision };
    const bytes = Buffer.from(body.text ?? 'hello');
    const block = decision.decideBody(request, new ReceivedBody({ bytes, isComplete: true, encodings: [], ...body }));
    return { answer: block?.reason ?? 'allow after body', notes, decision };
  };
  const counts = () =>
    counters
      .read()
      .counters.map(({ engine, reason, verdict, total }) => `${engine} ${reason} ${verdict} ${total}`.trim());
  return { run, asked, budgets, counts };
}

describe('the body phase', () => {
  it('asks for a body if an engine wants it, and lets the engine decide', () => {
    const { run, asked, counts } = stage({ onBody: (body) => (body === 'bad' ? BLOCK : ALLOW) });
    expect(run('/').answer).toBe('allow after body');
    expect(run('/', { text: 'bad' })).toMatchObject({
      answer: 'ratelimit.exceeded',
      notes: ['blocked rate_limit ratelimit.exceeded'],
    });
    expect(asked).toEqual(['hello', 'bad']);
    expect(counts()).toEqual(['allowed 1', 'rate_limit ratelimit.exceeded blocked 1']);
  });

  it('asks for no body if no engine wants it', () => {
    const { run, asked } = stage({ wants: () => false });
    expect(run('/').answer).toBe('allow');
    expect(asked).toEqual([]);
  });

  it('gives the engine the decoded body', () => {
    const { run, asked } = stage({});
    run('/', { bytes: gzipSync('plain text'), encodings: ['gzip'] });
    expect(asked).toEqual(['plain text']);
  });

  it.each([
    ['longer than the cap', { text: 'x'.repeat(101) }, 'body.too_large'],
    ['longer than the cap once decoded', { bytes: gzipSync('x'.repeat(101)), encodings: ['gzip'] }, 'body.too_large'],
    ['cut by the proxy', { isComplete: false }, 'body.too_large'],
    ['in an unknown coding', { encodings: ['lzma'] }, 'body.undecodable'],
  ])('a body %s is a finding, never a silent pass', (_, body, reason) => {
    const blocking = stage({});
    expect(blocking.run('/', body)).toMatchObject({ answer: reason, notes: [`blocked body ${reason}`] });
    const detecting = stage({ mode: 'detect' });
    expect(detecting.run('/', body)).toMatchObject({ answer: 'allow after body', notes: [`detected body ${reason}`] });
    expect([...blocking.asked, ...detecting.asked]).toEqual([]);
  });

  it.each([
    ['a length over the cap', { 'content-length': ['101'] }, 'body.too_large'],
    ['an unknown coding', { 'content-encoding': ['gzip', 'lzma'] }, 'body.undecodable'],
    ['too many codings', { 'content-encoding': ['gzip, gzip, gzip, gzip, gzip'] }, 'body.undecodable'],
  ])(
    '%s is a finding before any byte of the body is requested; mode detect lets it pass uninspected',
    (_, headers, reason) => {
      const blocking = stage({});
      expect(blocking.run('/', { headers })).toMatchObject({ answer: reason, notes: [`blocked body ${reason}`] });
      const detecting = stage({ mode: 'detect' });
      expect(detecting.run('/', { headers })).toMatchObject({ answer: 'allow', notes: [`detected body ${reason}`] });
      expect([...blocking.asked, ...detecting.asked]).toEqual([]);
      const unasked = stage({ wants: () => false });
      expect(unasked.run('/', { headers })).toMatchObject({ answer: 'allow', notes: [] });
    },
  );

  it.each<Readonly<Record<string, readonly string[]>>>([
    { 'content-length': ['100'] },
    { 'content-length': [''] },
    { 'content-encoding': ['gzip', 'identity'] },
  ])('inconclusive headers leave the verdict to the body: %j', (headers) => {
    expect(stage({}).run('/', { headers }).answer).toBe('allow after body');
  });

  it('reads a body of exactly the maximum size', () => {
    const { run, asked } = stage({});
    expect(run('/', { text: 'x'.repeat(100) }).answer).toBe('allow after body');
    expect(asked.length).toBe(1);
  });

  it('asks an engine that several readings of the path share once, and counts its finding once', () => {
    const { run, asked, counts } = stage({
      mode: 'detect',
      onBody: () => BLOCK,
      routes: [{ match: { path_prefix: '/admin' }, policy: {} }],
    });
    expect(run('/x/..%2fadmin').answer).toBe('allow after body');
    expect(asked.length).toBe(1);
    expect(counts()).toEqual(['allowed 1', 'rate_limit ratelimit.exceeded detected 1']);
  });
});

describe('an engine that breaks', () => {
  const broken = () => {
    throw new Error('broken');
  };

  it.each([
    ['fail_close', 'block', 'engine.error', ['broken rate_limit', 'blocked rate_limit engine.error']],
    ['fail_close', 'detect', 'allow after body', ['broken rate_limit', 'detected rate_limit engine.error']],
    ['fail_open', 'block', 'allow after body', ['broken rate_limit', 'error rate_limit engine.error']],
  ] as const)('on a body is handled under %s in mode %s', (fail_mode, mode, answer, notes) => {
    const { run } = stage({ defaults: { fail_mode, mode }, onBody: broken });
    expect(run('/')).toMatchObject({ answer, notes });
  });

  it('still gets the body under fail_open if it fails on the headers', () => {
    const { run, asked } = stage({ defaults: { fail_mode: 'fail_open' }, onHeaders: broken, onBody: () => BLOCK });
    expect(run('/').answer).toBe('ratelimit.exceeded');
    expect(asked.length).toBe(1);
  });

  it('gets the body if it fails when asked whether it wants it', () => {
    const { run, asked } = stage({ wants: broken });
    expect(run('/')).toMatchObject({ answer: 'allow after body', notes: ['broken rate_limit'] });
    expect(asked.length).toBe(1);
  });

  it('has one budget for the whole request, headers and body', () => {
    const { run, budgets } = stage({});
    run('/');
    expect(budgets.size).toBe(1);
    run('/');
    expect(budgets.size).toBe(2);
  });

  it('is reported separately if it runs out of time, and follows the fail mode', () => {
    const late = () => {
      throw new BudgetExceeded();
    };
    expect(stage({ onBody: late }).run('/').answer).toBe('engine.timeout');
    expect(stage({ onBody: late, defaults: { fail_mode: 'fail_open' } }).run('/').answer).toBe('allow after body');
  });
});

describe('grants', () => {
  it('are reported for a request that continues; an engine that did not allow it withholds the headers that only it may set', () => {
    expect(stage({}).run('/').decision.grants).toEqual([GRANT]);
    expect(stage({ mode: 'detect', onHeaders: () => BLOCK }).run('/').decision.grants).toEqual([WITHHELD, GRANT]);
    const broken = () => {
      throw new Error('broken');
    };
    const open = stage({ defaults: { fail_mode: 'fail_open' }, onHeaders: broken });
    expect(open.run('/').decision.grants).toEqual([WITHHELD, GRANT]);
  });

  it('are reported once if several readings of a path share an engine', () => {
    const { run } = stage({ routes: [{ match: { path_prefix: '/admin' }, policy: {} }] });
    expect(run('/x/..%2fadmin').decision.grants).toEqual([GRANT]);
  });
});
