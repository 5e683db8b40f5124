import { FakeClock } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { RateLimiter } from './rate-limits.ts';

describe('the rate limiter', () => {
  it('allows a burst, then the even rate, and says when to retry', () => {
    const clock = new FakeClock();
    const limiter = new RateLimiter({ clock });
    const burst = Array.from({ length: 21 }, () => limiter.take('a', 20));
    expect(burst.map(({ allowed }) => allowed)).toEqual([...Array(20).fill(true), false]);
    expect(burst[0]).toMatchObject({ remaining: 19, fullInS: 3 });
    expect(burst[20]).toMatchObject({ remaining: 0, retryAfterS: 3 });
    clock.advance(2999);
    expect(limiter.take('a', 20).allowed).toBe(false);
    clock.advance(1);
    expect(limiter.take('a', 20).allowed).toBe(true);
    expect(limiter.take('b', 20).allowed).toBe(true);
  });

  it('never holds more callers than its limit, and forgets the longest unseen', () => {
    const limiter = new RateLimiter({ clock: new FakeClock(), maxKeys: 3 });
    for (const key of ['a', 'b', 'c', 'a', 'd']) limiter.take(key, 10);
    expect(limiter.size).toBe(3);
    expect(limiter.take('a', 10).remaining).toBe(7);
    expect(limiter.take('b', 10).remaining).toBe(9);
  });
});
