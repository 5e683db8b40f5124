import { expect, it } from 'vitest';
import { findNextRun } from './cron.ts';

function take(cron: string, from: string, count: number, timeZone = 'Europe/Berlin'): string[] {
  const times: string[] = [];
  let at = new Date(from);
  for (let i = 0; i < count; i += 1) {
    const next = findNextRun({ cron, timeZone }, at);
    if (!next) break;
    times.push(next.toISOString().slice(0, 16));
    at = next;
  }
  return times;
}

it('a time in the skipped hour of spring runs once, after the gap', () => {
  expect(take('30 2 * * *', '2026-03-27T12:00:00Z', 3)).toEqual([
    '2026-03-28T01:30',
    '2026-03-29T01:00',
    '2026-03-30T00:30',
  ]);
});

it('a time in the repeated hour of autumn runs once', () => {
  expect(take('30 2 * * *', '2026-10-23T12:00:00Z', 3)).toEqual([
    '2026-10-24T00:30',
    '2026-10-25T00:30',
    '2026-10-26T01:30',
  ]);
});

it('an hourly rule runs in each of these hours', () => {
  expect(take('0 * * * *', '2026-10-24T23:30:00Z', 3)).toEqual([
    '2026-10-25T00:00',
    '2026-10-25T01:00',
    '2026-10-25T02:00',
  ]);
});

it('each zone has its own hour: in the south, with half an hour, at the edge of the day, and without a change', () => {
  // Sydney's clocks go back on 5 April 2026, Lord Howe's by half an hour.
  expect(take('30 2 * * *', '2026-04-03T16:00:00Z', 3, 'Australia/Sydney')).toEqual([
    '2026-04-04T15:30',
    '2026-04-05T16:30',
    '2026-04-06T16:30',
  ]);
  expect(take('45 1 * * *', '2026-04-03T16:00:00Z', 3, 'Australia/Lord_Howe')).toEqual([
    '2026-04-04T14:45',
    '2026-04-05T15:15',
    '2026-04-06T15:15',
  ]);
  // Kiritimati is 14 hours ahead: the first of its month starts on the previous day in UTC.
  expect(take('0 0 1 * *', '2026-06-15T00:00:00Z', 2, 'Pacific/Kiritimati')).toEqual([
    '2026-06-30T10:00',
    '2026-07-31T10:00',
  ]);
  expect(take('30 2 * * *', '2026-03-28T00:00:00Z', 2, 'Asia/Kolkata')).toEqual([
    '2026-03-28T21:00',
    '2026-03-29T21:00',
  ]);
});

it('a rule for every quarter of an hour continues through skipped and repeated hours', () => {
  expect(take('*/15 * * * *', '2026-03-29T00:40:00Z', 3)).toEqual([
    '2026-03-29T00:45',
    '2026-03-29T01:00',
    '2026-03-29T01:15',
  ]);
});

it('an impossible day never runs, and an unreadable rule is refused', () => {
  expect(take('0 0 30 2 *', '2026-01-01T00:00:00Z', 1)).toEqual([]);
  for (const [cron, timeZone] of [
    ['* * * * * *', 'UTC'],
    ['61 * * * *', 'UTC'],
    ['', 'UTC'],
    ['0 0 * * *', 'Nowhere/City'],
  ] as const)
    expect(() => findNextRun({ cron, timeZone }, new Date())).toThrow(
      expect.objectContaining({ code: 'schedule.invalid' }),
    );
});
