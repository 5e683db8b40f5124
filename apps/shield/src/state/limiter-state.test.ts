import { buildRuntime, type PolicyRuntime } from '@flotilla/decision';
import { compileEngine, createArenaBuffer, LimiterArena } from '@flotilla/engines';
import { FakeClock } from '@flotilla/kit';
import { loadPolicyFiles } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { BucketPages } from './bucket-pages.ts';
import { collectLimiters, restoreLimiters } from './limiter-state.ts';
import { decodeState, encodeState, type KeptState } from './state-file.ts';

const WALL = Date.UTC(2026, 0, 1);
const limit = (rate: number, key: object = {}) => ({ rate_limit: { requests_per_second: rate, burst: 10, ...key } });
const BY_HEADER = { key: 'header', header: 'x-user' };

/** A run of the filter with its own monotonic clock. */
function run(engines: object, bootedMs: number, hosts = ['api.example.com']) {
  const spec = { domains: [{ hosts, policy: { engines } }] };
  const document = { apiVersion: 'flotilla.dev/v1', kind: 'SecurityPolicy', metadata: { name: 'p' }, spec };
  const loaded = loadPolicyFiles([{ path: 'p.json', content: JSON.stringify(document) }]);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.error));
  const clock = new FakeClock(bootedMs);
  const arena = new LimiterArena(createArenaBuffer(2 ** 26));
  const runtime = buildRuntime(loaded.value, { nowMs: 0, compile: (block) => compileEngine(block, clock, { arena }) });
  return { runtime, clock };
}

/** How many requests of a client pass at once. */
function drain({ runtime }: { runtime: PolicyRuntime }, client: string, most = 100): number {
  const [engine] = runtime.limiters;
  const view = {
    sourceIp: client,
    host: client,
    method: 'GET',
    rawPath: '/',
    query: '',
    paths: { texts: ['/'], mayBeAny: false },
  };
  const request = { ...view, findNames: () => [], header: () => (client === '' ? [] : [client]) };
  for (let n = 0; n < most; n++) {
    if (engine?.decide(request, { check: () => undefined }).kind !== 'allow') return n;
  }
  return most;
}

const save = async ({ runtime, clock }: ReturnType<typeof run>, wallMs = WALL): Promise<KeptState> => {
  const parts = await encodeState(await collectLimiters(runtime, { wallMs, monotonicMs: clock.monotonic() }));
  const state = decodeState(Buffer.concat(parts));
  if (typeof state === 'string') throw new Error(state);
  return state;
};

describe('the state of limiters', () => {
  it('continues in the next run, whose clock has another origin, and counts the time in between', async () => {
    const before = run(limit(0.5), 5_000_000);
    expect(drain(before, '192.0.2.1')).toBe(10);
    expect(drain(before, '192.0.2.2', 4)).toBe(4);
    const after = run(limit(0.5), 70);
    expect(restoreLimiters(await save(before), after.runtime, { wallMs: WALL + 4000, monotonicMs: 70 })).toBe(2);
    expect([drain(after, '192.0.2.1'), drain(after, '192.0.2.2'), drain(after, '192.0.2.3')]).toEqual([2, 8, 10]);
    after.clock.advance(2000);
    expect(drain(after, '192.0.2.1')).toBe(1);
  });

  it('continues for clients of all kinds: long keys, non-ASCII keys, requests without a key', async () => {
    const keys = ['192.0.2.1', 'x'.repeat(100), 'münchen', ''];
    const before = run(limit(0.001, BY_HEADER), 0);
    for (const key of keys) expect(drain(before, key)).toBe(10);
    const after = run(limit(0.001, BY_HEADER), 0);
    restoreLimiters(await save(before), after.runtime, { wallMs: WALL, monotonicMs: 0 });
    for (const key of keys) expect(drain(after, key)).toBe(0);
  });

  it('continues for API keys, each with its own limit', async () => {
    const keys = [
      { key: 'slow', requests_per_second: 0.01, burst: 3 },
      { key: 'fast', requests_per_second: 0.5, burst: 4 },
    ];
    const before = run({ api_key: { keys } }, 5_000_000);
    expect([drain(before, 'slow'), drain(before, 'fast')]).toEqual([3, 4]);
    const after = run({ api_key: { keys } }, 70);
    expect(restoreLimiters(await save(before), after.runtime, { wallMs: WALL + 4000, monotonicMs: 70 })).toBe(2);
    expect([drain(after, 'slow'), drain(after, 'fast')]).toEqual([0, 2]);
  });

  it('leaves no key in the file', async () => {
    const before = run(limit(0.001, BY_HEADER), 0);
    drain(before, 'a-secret-credential');
    expect(Buffer.concat(await encodeState(await save(before))).includes('a-secret-credential')).toBe(false);
  });

  it('survives a second restart before the client returns', async () => {
    const before = run(limit(0.001), 0);
    drain(before, '192.0.2.1');
    const between = run(limit(0.001), 0);
    restoreLimiters(await save(before), between.runtime, { wallMs: WALL, monotonicMs: 0 });
    const after = run(limit(0.001), 0);
    restoreLimiters(await save(between), after.runtime, { wallMs: WALL, monotonicMs: 0 });
    expect(drain(after, '192.0.2.1')).toBe(0);
  });

  it.each([
    ['set back by a year: as if no time had passed', -365 * 86_400_000, 0],
    ['set forward by half a minute: half a minute of tokens', 30_000, 3],
  ])('survives a wall clock that was %s', async (_, step, tokens) => {
    const before = run(limit(0.1), 0);
    drain(before, '192.0.2.1');
    const after = run(limit(0.1), 9);
    expect(restoreLimiters(await save(before), after.runtime, { wallMs: WALL + step, monotonicMs: 9 })).toBe(1);
    expect(drain(after, '192.0.2.1')).toBe(tokens);
  });

  it('is ignored if it is older than a minute', async () => {
    const before = run(limit(0.001), 0);
    drain(before, '192.0.2.1');
    const after = run(limit(0.001), 0);
    const moment = { wallMs: WALL + 61_000, monotonicMs: 0 };
    expect(restoreLimiters(await save(before), after.runtime, moment)).toBe('is 61 s old');
    expect(drain(after, '192.0.2.1')).toBe(10);
  });

  it('belongs to the same block in the same place, and to no other', async () => {
    const before = run(limit(0.001), 0, ['a.example.com', 'b.example.com']);
    drain(before, '192.0.2.1');
    const state = await save(before);
    const moment = { wallMs: WALL, monotonicMs: 0 };
    expect(restoreLimiters(state, run(limit(0.002), 0, ['a.example.com']).runtime, moment)).toBe(0);
    expect(restoreLimiters(state, run(limit(0.001), 0, ['c.example.com']).runtime, moment)).toBe(0);
    expect(restoreLimiters(state, run(limit(0.001), 0, ['c.example.com', 'b.example.com']).runtime, moment)).toBe(1);
  });

  it('never gives more than the burst, whatever the file contains', async () => {
    const after = run(limit(0.001), 1000);
    const carryKeys = [...after.runtime.byCarryKey.keys()];
    const buckets = new BucketPages();
    buckets.add({ digest: undefined, tokens: 1e9, ageMs: 0 });
    buckets.add({ digest: Buffer.alloc(32), tokens: -5, ageMs: -1e12 });
    restoreLimiters({ savedAtMs: WALL, limiters: [{ carryKeys, buckets }] }, after.runtime, {
      wallMs: WALL,
      monotonicMs: 1000,
    });
    expect([drain(after, ''), drain(after, '192.0.2.1')]).toEqual([10, 10]);
  });

  it('covers every client, and omits full buckets', async () => {
    const before = run(limit(1), 0);
    for (let n = 0; n < 120_000; n++) drain(before, `192.0.2.${n}`, 1);
    const full = await save(before);
    expect(full.limiters.reduce((sum, { buckets }) => sum + buckets.length, 0)).toBe(120_000);
    const after = run(limit(1), 0);
    expect(restoreLimiters(full, after.runtime, { wallMs: WALL, monotonicMs: 0 })).toBe(120_000);
    for (const n of [0, 60_000, 119_999]) expect(drain(after, `192.0.2.${n}`)).toBe(9);
    before.clock.advance(1000);
    expect((await save(before)).limiters).toEqual([]);
  });
});
