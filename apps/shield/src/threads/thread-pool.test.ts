import { CounterBook, type PolicyRuntime } from '@flotilla/decision';
import { loadPolicyFiles } from '@flotilla/policy';
import { afterEach, describe, expect, it } from 'vitest';
import { openBundle } from '../load-bundle.ts';
import type { ServingThread } from './serving-thread.ts';
import { ThreadHandle } from './thread-handle.ts';
import { ThreadPool } from './thread-pool.ts';
import { createTrafficCells } from './traffic-recorder.ts';

const LISTEN = { kind: 'unix', path: '/nonexistent/s' } as const;
const THREADS = 2;

let pool: ThreadPool | undefined;

afterEach(async () => {
  await pool?.close(0);
  pool = undefined;
});

function createPool() {
  let held: PolicyRuntime | undefined;
  const first: Pick<ServingThread, 'runtimeIfAny' | 'hold' | 'listen' | 'close'> = {
    get runtimeIfAny() {
      return held;
    },
    hold: (runtime) => {
      held = runtime;
    },
    listen: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  pool = new ThreadPool({
    threads: THREADS,
    first,
    listen: LISTEN,
    trustedHops: 0,
    node: 'n',
    counters: new CounterBook({ threads: THREADS }),
    traffic: createTrafficCells(THREADS),
    onNews: () => undefined,
  });
  return pool;
}

function bundle(n: number, routes = 3) {
  const limit = (rate: number) => ({ rate_limit: { requests_per_second: rate, burst: 1 } });
  const route = (r: number) => ({ match: { path_prefix: `/r${r}` }, policy: { engines: limit(1 + ((n + r) % 7)) } });
  const domain = { hosts: ['api.example.com'], policy: { engines: limit(0.001) } };
  const spec = { domains: [{ ...domain, routes: Array.from({ length: routes }, (_, r) => route(r)) }] };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: `p${n % 3}` }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  return openBundle(loaded.value);
}

const domainLimiter = (runtime: PolicyRuntime) => {
  const engine = runtime.index.findDomain('api.example.com')?.findPolicy('/').engines[0];
  return engine?.limiter;
};

describe('ThreadPool', () => {
  it('builds hundreds of bundles in sequence, and keeps the limiter of an unchanged block', async () => {
    const threads = createPool();
    const first = await threads.apply(bundle(0), 0);
    expect(domainLimiter(first)?.take('k', 0)).toBe(0);
    let last = first;
    for (let n = 1; n <= 200; n++) last = await threads.apply(bundle(n), n);
    expect(last.digest).not.toBe(first.digest);
    expect(domainLimiter(last)).toBe(domainLimiter(first));
    expect(domainLimiter(last)?.take('k', 0)).toBeGreaterThan(0);
  });

  it('answers requests while it builds a bundle of thousands of routes', async () => {
    const threads = createPool();
    await threads.apply(bundle(0), 0);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const runtime = await threads.apply(bundle(1, 5000), 1);
    isOver = true;
    expect(runtime.limiters.length).toBe(5001);
    expect(turns).toBeGreaterThan(15);
  });

  it('notices a thread that dies, which ends the filter', async () => {
    const { promise, resolve } = Promise.withResolvers<Error>();
    const broken = new SharedArrayBuffer(3);
    const handle = new ThreadHandle(
      { thread: 1, listen: LISTEN, trustedHops: 0, node: 'n', limiters: broken, counts: broken, traffic: broken },
      { onNews: () => undefined, onDeath: (_, error) => resolve(error) },
    );
    await expect(handle.ask({ kind: 'listen' })).rejects.toThrow();
    expect(await promise).toBeInstanceOf(Error);
    await expect(handle.ask({ kind: 'listen' })).rejects.toThrow('gone');
  });
});
