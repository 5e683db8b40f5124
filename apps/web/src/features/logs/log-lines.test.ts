import type { LogEntry } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { formatEntry, joinPages } from './log-lines.ts';

const entry = (timestamp: string | null, message: string, more: Partial<LogEntry> = {}): LogEntry => ({
  timestamp,
  level: 'info',
  source: 'envoy',
  component: 'main',
  message,
  file: 'envoy.log',
  ...more,
});

it('an entry is one line of text, and further lines of its message are indented', () => {
  expect(formatEntry(entry('2026-02-03T04:05:06.000Z', 'a\n<b>'))).toBe(
    '2026-02-03T04:05:06.000Z info     envoy/main a\n    <b>',
  );
  expect(formatEntry(entry(null, 'x', { component: '' }))).toBe('- info     envoy x');
});

it('the lines of several pages are in the order of their times, and lines without a time stay at their place', () => {
  const pages = [
    { logs: [entry('2026-01-01T00:00:01Z', '1'), entry('2026-01-01T00:00:04Z', '4'), entry(null, 'of 4')] },
    { logs: [entry('2026-01-01T00:00:03Z', '3'), entry('2026-01-01T00:00:05Z', '5')] },
  ];
  expect(joinPages(pages).map(({ message }) => message)).toEqual(['1', '3', '4', 'of 4', '5']);
});
