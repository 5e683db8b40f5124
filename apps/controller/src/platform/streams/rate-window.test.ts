import { FakeClock } from '@flotilla/kit';
import { expect, it } from 'vitest';
import { RateWindow } from './rate-window.ts';

it('the rate window counts per network: a host gains nothing from the addresses of an IPv6 /64', () => {
  const clock = new FakeClock();
  const rate = new RateWindow({ limit: 3, windowMs: 60_000, clock });
  const taken = Array.from({ length: 5 }, (_, i) => rate.take(`2001:db8:1:2::${i + 1}`));
  expect(taken).toEqual([true, true, true, false, false]);
  expect(rate.take('2001:db8:1:3::1')).toBe(true);
  expect(rate.take('192.0.2.1')).toBe(true);
  clock.advance(60_000);
  expect(rate.take('2001:db8:1:2::6')).toBe(true);
});
