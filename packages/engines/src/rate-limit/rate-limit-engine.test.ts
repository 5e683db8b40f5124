import { FakeClock } from '@flotilla/kit';
import type { RateLimitOptions } from '@flotilla/policy';
import { describe, expect, it } from 'vitest';
import { UNLIMITED } from '../budget.ts';
import { createTestRequest, type TestRequest } from '../testing.ts';
import { createRateLimitEngine } from './rate-limit-engine.ts';

function createLimited(options: Partial<RateLimitOptions>) {
  const clock = new FakeClock();
  const engine = createRateLimitEngine(
    { rate: 0.25, burst: 1, key: 'ip', header: '', share: 'proxy', ...options },
    clock,
  );
  return { clock, ask: (request: TestRequest) => engine.decide(createTestRequest(request), UNLIMITED) };
}

describe('rate_limit', () => {
  it('answers 429 with the real seconds until a token is available', () => {
    const { clock, ask } = createLimited({});
    const request = { sourceIp: '192.0.2.1' };
    expect(ask(request)).toEqual({ kind: 'allow' });
    clock.advance(500);
    expect(ask(request)).toEqual({
      kind: 'block',
      reason: 'ratelimit.exceeded',
      severity: 'low',
      status: 429,
      retryAfterSeconds: 4,
    });
    clock.advance(3499);
    expect(ask(request)).toMatchObject({ retryAfterSeconds: 1 });
    clock.advance(1);
    expect(ask(request)).toEqual({ kind: 'allow' });
  });

  it('reports at least one second', () => {
    const { ask } = createLimited({ rate: 1000 });
    ask({ sourceIp: '192.0.2.1' });
    expect(ask({ sourceIp: '192.0.2.1' })).toMatchObject({ retryAfterSeconds: 1 });
  });

  it.each([5e-324, 1e-300, 1e-12])('reports a wait that clients can read, also at %d requests per second', (rate) => {
    const { ask } = createLimited({ rate });
    ask({ sourceIp: '192.0.2.1' });
    expect(ask({ sourceIp: '192.0.2.1' })).toMatchObject({ retryAfterSeconds: 2 ** 31 - 1 });
  });

  it.each<[string, Partial<RateLimitOptions>, TestRequest, TestRequest, TestRequest]>([
    ['ip', { key: 'ip' }, { sourceIp: '192.0.2.1' }, { sourceIp: '192.0.2.1', host: 'x' }, { sourceIp: '192.0.2.2' }],
    ['host', { key: 'host' }, { host: 'A.example.com:80' }, { host: 'a.example.com.' }, { host: 'b.example.com' }],
    [
      'header',
      { key: 'header', header: 'x-user' },
      { headers: [['X-User', 'a']] },
      { headers: [['x-user', 'a']], sourceIp: '192.0.2.9' },
      { headers: [['x-user', 'A']] },
    ],
    [
      'all lines of a header as one list',
      { key: 'header', header: 'x-user' },
      { headers: [['x-user', 'a,b']] },
      {
        headers: [
          ['x-user', ''],
          ['x-user', 'a'],
          ['x-user', ''],
          ['x-user', 'b'],
        ],
      },
      { headers: [['x-user', 'a']] },
    ],
    [
      'a host without port and brackets',
      { key: 'host' },
      { host: '[2001:DB8::1]:8443' },
      { host: '[2001:db8:0:0::1]' },
      { host: '[2001:db8::2]' },
    ],
    [
      'a header value of any length',
      { key: 'header', header: 'x-user' },
      { headers: [['x-user', `${'x'.repeat(60_000)}a`]] },
      { headers: [['x-user', `${'x'.repeat(60_000)}a`]] },
      { headers: [['x-user', `${'x'.repeat(60_000)}b`]] },
    ],
  ])('counts by %s', (_, options, first, same, other) => {
    const { ask } = createLimited(options);
    expect(ask(first).kind).toBe('allow');
    expect(ask(same).kind).toBe('block');
    expect(ask(other).kind).toBe('allow');
  });

  it.each<[string, Partial<RateLimitOptions>, TestRequest, TestRequest]>([
    ['an unknown address', { key: 'ip' }, {}, { host: 'b.example.com' }],
    ['an absent header', { key: 'header', header: 'x-user' }, {}, { headers: [['x-user', '']] }],
    [
      'nothing but empty lines',
      { key: 'header', header: 'x-user' },
      { headers: [] },
      {
        headers: [
          ['x-user', ''],
          ['x-user', ''],
        ],
      },
    ],
    ['an empty host', { key: 'host' }, { host: '' }, { host: ':80' }],
    ['a malformed host', { key: 'host' }, { host: 'a.example.com,1' }, { host: 'a.example.com:80:2' }],
  ])('counts requests with %s against one shared bucket', (_, options, first, second) => {
    const { ask } = createLimited(options);
    expect(ask(first).kind).toBe('allow');
    expect(ask(second).kind).toBe('block');
  });
});
