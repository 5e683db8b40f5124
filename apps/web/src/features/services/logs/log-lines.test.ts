import { expect, it } from 'vitest';
import { filterLines, formatLine, readLogs } from './log-lines.ts';

it('the lines of one program are returned, and none for an answer of another shape', () => {
  const [a, b] = [
    { source: 'envoy', level: 'info', message: 'a' },
    { source: 'filter', level: 'warn', message: 'b' },
  ];
  expect(readLogs({ logs: [a, b] }, 'envoy')).toEqual(['info  a']);
  expect(readLogs({ logs: [a, b] }, 'shield')).toEqual(['warn  b']);
  expect(readLogs({ logs: { envoy: ['a'] } }, 'envoy')).toEqual([]);
  expect(readLogs(undefined, 'shield')).toEqual([]);
});

it('JSON of the filter becomes one readable line', () => {
  const line = JSON.stringify({ level: 40, time: 0, pid: 1, name: 'shield', event: 'slow', ms: 12, host: 'a.example' });
  expect(formatLine(line)).toBe('1970-01-01T00:00:00.000Z warn  slow ms=12 host=a.example');
});

it('all other lines stay unchanged, also invalid JSON', () => {
  expect(formatLine('[info] up')).toBe('[info] up');
  expect(formatLine('{"time":')).toBe('{"time":');
  expect(formatLine('{"a":1}')).toBe('{"a":1}');
});

it('lines are found regardless of case, and keep their positions', () => {
  expect(filterLines(['One', 'two', 'ONE more'], ' one ').map(({ index }) => index)).toEqual([0, 2]);
});

it('errors and warnings are marked', () => {
  expect(filterLines(['[x][warning][main] a', '[x][critical][main] b', 'c'], '').map(({ level }) => level)).toEqual([
    'warning',
    'error',
    undefined,
  ]);
});
