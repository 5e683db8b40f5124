import { type QuietHours, WEEKDAYS, type Weekday } from '@flotilla/contract';

/**
 * Whether the wall clock of the time zone is in the quiet hours. It only compares what the clock shows: an hour that a time change
 * repeats counts both times, one that it skips never.
 */
export function isQuiet({ time_zone, weekdays, from, to }: QuietHours, now: Date): boolean {
  const { weekday, time } = readWallClock(time_zone, now);
  const begins = (day: Weekday) => weekdays.includes(day);
  if (from < to) return begins(weekday) && from <= time && time < to;
  return (begins(weekday) && from <= time) || (begins(dayBefore(weekday)) && time < to);
}

function readWallClock(timeZone: string, now: Date): { weekday: Weekday; time: string } {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(now);
  const of = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? '';
  const weekday = WEEKDAYS.find((day) => day === of('weekday').toLowerCase()) ?? 'mon';
  return { weekday, time: `${of('hour')}:${of('minute')}` };
}

function dayBefore(day: Weekday): Weekday {
  return WEEKDAYS[(WEEKDAYS.indexOf(day) + 6) % 7] ?? 'mon';
}
