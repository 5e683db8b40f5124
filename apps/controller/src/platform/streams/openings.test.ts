import { FakeClock } from '@flotilla/kit';
import { expect, it } from 'vitest';
import { type Opening, Openings } from './openings.ts';

const end = (opening: Opening) => opening.kind === 'begun' && opening.end();
const delayOf = (opening: Opening) => (opening.kind === 'put_off' ? opening.retryMs : 0);

it('streams above the limit are put off, and a place that becomes free is given away once', () => {
  const openings = new Openings({ clock: new FakeClock(), atOnce: 2 });
  const [first, second] = [openings.begin(), openings.begin()];
  expect([first.kind, second.kind, openings.begin().kind]).toEqual(['begun', 'begun', 'put_off']);
  end(first);
  end(first);
  expect([openings.begin().kind, openings.begin().kind]).toEqual(['begun', 'put_off']);
  expect(openings.count).toBe(2);
  expect(openings.putOff).toBe(2);
});

it('streams that are put off at the same time get appointments one after the other', () => {
  const openings = new Openings({ clock: new FakeClock(), atOnce: 1 });
  openings.begin();
  const delays = Array.from({ length: 100 }, () => delayOf(openings.begin()));
  expect(new Set(delays).size).toBe(100);
  expect(delays).toEqual(delays.toSorted((a, b) => a - b));
  // The pace is the slowest one until streams have opened.
  expect(delays[0]).toBe(520);
  expect(delays[99]).toBe(2500);
});

it('appointments follow the pace at which streams have opened', () => {
  const clock = new FakeClock();
  const openings = new Openings({ clock, atOnce: 1 });
  for (let n = 0; n < 1000; n += 1) {
    end(openings.begin());
    clock.advance(4);
  }
  openings.begin();
  const delays = Array.from({ length: 250 }, () => delayOf(openings.begin()));
  expect((delays[249] ?? 0) - (delays[0] ?? 0)).toBeGreaterThan(900);
  expect((delays[249] ?? 0) - (delays[0] ?? 0)).toBeLessThan(1100);
});

it('no appointment is further away than a minute, however many streams are put off', () => {
  const openings = new Openings({ clock: new FakeClock(), atOnce: 1 });
  openings.begin();
  const delays = Array.from({ length: 100_000 }, () => delayOf(openings.begin()));
  expect(Math.max(...delays)).toBe(60_000);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(500);
});
