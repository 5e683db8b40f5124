import { FakeClock } from '@flotilla/kit';
import { describe, expect, it } from 'vitest';
import { ArrivalClock } from './arrival-clock.ts';

const START = Date.UTC(2026, 0, 1);

describe('the clock of requests', () => {
  it('is constant for requests that arrived together, and advances with the next ones', () => {
    const clock = new FakeClock(START);
    const arrival = new ArrivalClock(clock);
    arrival.begin();
    clock.advance(1);
    const first = [arrival.now(), arrival.monotonic()];
    clock.advance(5);
    expect([arrival.now(), arrival.monotonic()]).toEqual(first);
    arrival.end();
    arrival.begin();
    expect([arrival.now(), arrival.monotonic()]).toEqual([START + 6, START + 6]);
  });

  it('advances for other callers in between', () => {
    const clock = new FakeClock(START);
    const arrival = new ArrivalClock(clock);
    arrival.begin();
    arrival.monotonic();
    arrival.end();
    clock.advance(1000);
    expect([arrival.now(), arrival.monotonic()]).toEqual([START + 1000, START + 1000]);
    clock.advance(1000);
    expect(arrival.monotonic()).toBe(START + 2000);
  });
});
