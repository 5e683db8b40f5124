import { FakeClock } from '@flotilla/kit';
import { type ApiKeyEntry, type ApiKeyOptions, digestApiKey, type KeyLimit } from '@flotilla/policy';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../budget.ts';
import { createArenaBuffer, LimiterArena } from '../rate-limit/limiter-arena.ts';
import { createTestRequest, type TestRequest } from '../testing.ts';
import { createApiKeyEngine } from './api-key-engine.ts';

function entryOf(key: string, limit: KeyLimit | null, rest: Partial<ApiKeyEntry> = {}): ApiKeyEntry {
  const open = { subject: key, scopes: [], notBeforeMs: null, expiresAtMs: null, methods: [] };
  return { ...open, sha256: digestApiKey(key), limit, ...rest };
}

function optionsOf(keys: readonly ApiKeyEntry[]): ApiKeyOptions {
  return {
    sources: [{ source: 'header', name: 'x-api-key' }],
    keys,
    bindings: [{ pathPrefix: '/admin', scope: 'admin', wholeSegments: false }],
    stripCredential: false,
    subjectHeader: '',
  };
}

function open(keys: readonly ApiKeyEntry[], place?: Parameters<typeof createApiKeyEngine>[2]) {
  const clock = new FakeClock(1_000_000);
  const engine = createApiKeyEngine(optionsOf(keys), clock, place);
  const decide = (key: string, request: TestRequest = {}) =>
    engine.decide(createTestRequest({ ...request, headers: [['x-api-key', key]] }), UNLIMITED);
  const ask = (key: string, request: TestRequest = {}) => {
    const verdict = decide(key, request);
    return verdict.kind === 'allow' ? 'allow' : `${verdict.reason} ${verdict.retryAfterSeconds ?? ''}`.trim();
  };
  return { clock, engine, decide, ask };
}

const times = (count: number, ask: () => string) => Array.from({ length: count }, ask);

describe('the limit of a key', () => {
  it('counts each key separately, by its own rate and burst', () => {
    const { clock, ask } = open([
      entryOf('slow', { rate: 0.1, burst: 2 }),
      entryOf('fast', { rate: 10, burst: 3 }),
      entryOf('free', null),
    ]);
    expect(times(3, () => ask('slow'))).toEqual(['allow', 'allow', 'apikey.rate 10']);
    expect(times(4, () => ask('fast'))).toEqual(['allow', 'allow', 'allow', 'apikey.rate 1']);
    expect(new Set(times(100, () => ask('free')))).toEqual(new Set(['allow']));
    clock.advance(100);
    expect(times(2, () => ask('fast'))).toEqual(['allow', 'apikey.rate 1']);
    expect(ask('slow')).toBe('apikey.rate 10');
    clock.advance(9_900);
    expect(times(2, () => ask('slow'))).toEqual(['allow', 'apikey.rate 10']);
    clock.advance(3_600_000);
    expect(times(3, () => ask('slow'))).toEqual(['allow', 'allow', 'apikey.rate 10']);
    expect(times(4, () => ask('fast'))).toEqual(['allow', 'allow', 'allow', 'apikey.rate 1']);
  });

  it('blocks with severity low, names the key, and reports the real wait', () => {
    const { decide } = open([entryOf('a', { rate: 0.25, burst: 1 }), entryOf('b', { rate: 1, burst: 7 })]);
    decide('a');
    expect(decide('a')).toEqual({
      kind: 'block',
      reason: 'apikey.rate',
      severity: 'low',
      status: 429,
      subject: 'a',
      grant: { subject: 'a' },
      detail: 'the key has 0.25 requests per second, 1 at once',
      retryAfterSeconds: 4,
    });
  });

  it('is checked last, so a request that is blocked anyway takes no token', () => {
    const limit = { rate: 1, burst: 1 };
    const { ask } = open([entryOf('a', limit, { methods: ['GET'] }), entryOf('old', limit, { expiresAtMs: 0 })]);
    expect(ask('a', { target: '/admin' })).toBe('apikey.scope');
    expect(ask('a', { method: 'POST' })).toBe('apikey.method');
    expect(times(2, () => ask('old'))).toEqual(['apikey.expired', 'apikey.expired']);
    expect(ask('unknown')).toBe('apikey.unknown');
    expect(ask('a')).toBe('allow');
    expect(ask('a', { target: '/admin' })).toBe('apikey.scope');
    expect(ask('a')).toBe('apikey.rate 1');
  });

  it('adds nothing if the clock goes back', () => {
    const { clock, ask } = open([entryOf('a', { rate: 1, burst: 1 })]);
    expect(ask('a')).toBe('allow');
    clock.advance(-500);
    expect(ask('a')).toBe('apikey.rate 1');
    clock.advance(500);
    expect(ask('a')).toBe('apikey.rate 1');
    clock.advance(1000);
    expect(ask('a')).toBe('allow');
  });

  it('is shared by all threads that share memory', () => {
    const arena = new LimiterArena(createArenaBuffer(2 ** 24));
    const keys = [entryOf('a', { rate: 1, burst: 2 })];
    const first = open(keys, { arena });
    const id = first.engine.limiter?.id;
    if (id === undefined) throw new Error('there is no limiter');
    const second = open(keys, { arena, id });
    expect([first.ask('a'), second.ask('a'), first.ask('a'), second.ask('a')]).toEqual([
      'allow',
      'allow',
      'apikey.rate 1',
      'apikey.rate 1',
    ]);
    expect(second.engine.limiter?.size).toBe(1);
  });

  it('creates no limiter if no key has a limit', () => {
    expect(open([entryOf('a', null)]).engine.limiter).toBeUndefined();
  });

  it('admits as many requests as a separate bucket would, whatever limits other keys have', () => {
    const limitArb = fc.record({
      rate: fc.double({ min: 0.001, max: 5000, noNaN: true }),
      burst: fc.integer({ min: 1, max: 1000 }),
    });
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.nat(5)), { maxLength: 60 });
    fc.assert(
      fc.property(limitArb, fc.array(limitArb, { maxLength: 4 }), steps, (own, others, walk) => {
        const alone = open([entryOf('a', own)]);
        const among = open([...others.map((limit, n) => entryOf(`o${n}`, limit)), entryOf('a', own)]);
        let tokens = own.burst;
        for (const [waitMs, asks] of walk) {
          alone.clock.advance(waitMs);
          among.clock.advance(waitMs);
          tokens = Math.min(own.burst, tokens + (waitMs * own.rate) / 1000);
          for (let n = 0; n < asks; n++) {
            // At the boundary, rounding decides.
            if (Math.abs(tokens - 1) < 1e-3) return;
            const expected = tokens >= 1 ? 'allow' : 'apikey.rate';
            expect([alone.ask('a').split(' ')[0], among.ask('a').split(' ')[0]]).toEqual([expected, expected]);
            if (tokens >= 1) tokens -= 1;
          }
        }
      }),
    );
  });

  it('never refuses a client that waits the reported time', () => {
    const limitArb = fc.record({
      rate: fc.double({ min: 0.0005, max: 100_000, noNaN: true }),
      burst: fc.integer({ min: 1, max: 1200 }),
    });
    fc.assert(
      fc.property(limitArb, fc.array(limitArb, { maxLength: 3 }), (own, others) => {
        const { clock, decide } = open([...others.map((limit, n) => entryOf(`o${n}`, limit)), entryOf('a', own)]);
        for (let round = 0; round < 3; round++) {
          for (let n = 0; n < own.burst; n++) decide('a');
          const verdict = decide('a');
          if (verdict.kind !== 'block') return;
          clock.advance((verdict.retryAfterSeconds ?? 0) * 1000);
          expect(decide('a').kind).toBe('allow');
        }
      }),
    );
  });
});
