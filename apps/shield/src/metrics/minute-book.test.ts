import { CounterBook } from '@flotilla/decision';
import { FakeClock } from '@flotilla/kit';
import { expect, it } from 'vitest';
import { MinuteBook } from './minute-book.ts';

const MINUTE_MS = 60_000;
const BEGIN = Date.UTC(2026, 0, 1, 12);

function setUp() {
  const clock = new FakeClock(BEGIN);
  const counters = new CounterBook();
  const book = new MinuteBook(counters, clock);
  const count = (times: number) => {
    for (let n = 0; n < times; n += 1) counters.countsOf('p').countAllowed();
  };
  const read = (after?: number) =>
    book.read(after).minutes.map(({ seq, minute, open, counters: grown }) => {
      const spans = grown.map(({ before, total }) => `${before}-${total}`).join();
      return `${seq} ${minute.slice(11, 16)}${open ? ' open' : ''} ${spans}`;
    });
  return { clock, book, count, read };
}

it('screen bug 7: the filter reports in which minute it counted, however late it is asked', () => {
  const { clock, count, read } = setUp();
  count(3);
  expect(read()).toEqual(['1 12:00 open 0-3']);
  clock.advance(MINUTE_MS);
  expect(read()).toEqual(['1 12:00 0-3', '2 12:01 open ']);
  count(2);
  clock.advance(MINUTE_MS);
  expect(read()).toEqual(['1 12:00 0-3', '2 12:01 3-5', '3 12:02 open ']);
  expect(read(1)).toEqual(['2 12:01 3-5', '3 12:02 open ']);
});

it('screen bug 7: a filter that was stopped for minutes reports nothing for them', () => {
  const { clock, count, read } = setUp();
  count(1);
  clock.advance(5 * MINUTE_MS);
  expect(read()).toEqual(['1 12:00 0-1', '2 12:05 open ']);
});

it('screen bug 7: a filter keeps an hour of minutes and drops older ones', () => {
  const { clock, count, read } = setUp();
  for (let minute = 0; minute < 70; minute += 1) {
    count(1);
    clock.advance(MINUTE_MS);
    read();
  }
  const kept = read();
  expect(kept).toHaveLength(61);
  expect(kept[0]).toBe('11 12:10 10-11');
});

it('screen bug 7: a filter limits the counters of all minutes together', () => {
  const clock = new FakeClock(BEGIN);
  const policies = 500;
  const counters = new CounterBook({ policiesMax: policies });
  const book = new MinuteBook(counters, clock);
  for (let minute = 0; minute < 50; minute += 1) {
    for (let n = 0; n < policies; n += 1) counters.countsOf(`p${n}`).countAllowed();
    clock.advance(MINUTE_MS);
    book.read();
  }
  // 20,000 counters, and the open minute.
  expect(book.read().minutes).toHaveLength(41);
});

it('screen bug 7: a clock that is set back closes the minute, and the next has its own number', () => {
  const { clock, count, read } = setUp();
  count(1);
  clock.advance(-2 * MINUTE_MS);
  count(1);
  expect(read()).toEqual(['1 12:00 0-2', '2 11:58 open ']);
});
