import type { QuietHours } from '@flotilla/contract';
import { describe, expect, it } from 'vitest';
import { isQuiet } from './quiet-hours.ts';

const NIGHTS: QuietHours = {
  time_zone: 'Europe/Berlin',
  weekdays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  from: '22:00',
  to: '07:00',
};
const quietAt = (hours: QuietHours, ...times: string[]) => times.map((time) => isQuiet(hours, new Date(time)));

describe('quiet hours', () => {
  it('begin and end on the wall clock, in winter and in summer', () => {
    const winter = ['2026-01-15T20:59:59Z', '2026-01-15T21:00:00Z', '2026-01-16T05:59:59Z', '2026-01-16T06:00:00Z'];
    expect(quietAt(NIGHTS, ...winter)).toEqual([false, true, true, false]);
    const summer = ['2026-07-15T19:59:59Z', '2026-07-15T20:00:00Z', '2026-07-16T04:59:59Z', '2026-07-16T05:00:00Z'];
    expect(quietAt(NIGHTS, ...summer)).toEqual([false, true, true, false]);
  });

  it('end at the same wall time in the nights in which the clocks change', () => {
    // 29 March 2026, 02:00 becomes 03:00; 25 October 2026, 03:00 becomes 02:00.
    expect(quietAt(NIGHTS, '2026-03-29T04:59:59Z', '2026-03-29T05:00:00Z')).toEqual([true, false]);
    expect(quietAt(NIGHTS, '2026-10-25T05:59:59Z', '2026-10-25T06:00:00Z')).toEqual([true, false]);
  });

  it('count a repeated hour twice and a skipped hour never', () => {
    const hours = { ...NIGHTS, from: '02:00', to: '03:00' };
    expect(quietAt(hours, '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z', '2026-10-25T02:00:00Z')).toEqual([
      true,
      true,
      false,
    ]);
    const everyMinute = Array.from({ length: 180 }, (_, i) => new Date(Date.UTC(2026, 2, 29, 0, i)).toISOString());
    expect(quietAt(hours, ...everyMinute)).not.toContain(true);
  });

  it('that end on the next day belong to the day on which they begin', () => {
    const friday = { ...NIGHTS, weekdays: ['fri' as const] };
    // 16 January 2026 is a Friday.
    expect(quietAt(friday, '2026-01-16T03:00:00Z', '2026-01-16T22:00:00Z', '2026-01-17T03:00:00Z')).toEqual([
      false,
      true,
      true,
    ]);
    expect(quietAt(friday, '2026-01-17T22:00:00Z')).toEqual([false]);
  });

  it('cover a whole day if they end when they begin', () => {
    const sunday = { ...NIGHTS, weekdays: ['sun' as const], from: '00:00', to: '00:00' };
    expect(quietAt(sunday, '2026-01-17T22:59:00Z', '2026-01-17T23:00:00Z', '2026-01-18T22:59:00Z')).toEqual([
      false,
      true,
      true,
    ]);
  });
});
