import { expect, it } from 'vitest';
import { filterLines, formatLine, readLogs } from './log-lines.ts';

it('reads the lines of one program, and none of an answer of another shape', () => {
  expect(readLogs({ logs: { envoy: ['a', 'b'], shield: ['c'] } }, 'envoy')).toEqual(['a', 'b']);
  expect(readLogs({ logs: { envoy: 'a' } }, 'envoy')).toEqual([]);
  expect(readLogs(undefined, 'shield')).toEqual([]);
});

it("makes one readable line of the filter's JSON", () => {
  const line = JSON.stringify({ level: 40, time: 0, pid: 1, name: 'shield', event: 'slow', ms: 12, host: 'a.example' });
  expect(formatLine(line)).toBe('1970-01-01T00:00:00.000Z warn  slow ms=12 host=a.example');
});

it('leaves other lines alone, also broken JSON', () => {
  expect(formatLine('[info] up')).toBe('[info] up');
  expect(formatLine('{"time":')).toBe('{"time":');
  expect(formatLine('{"a":1}')).toBe('{"a":1}');
});

it('finds lines without regard to case, keeping their positions', () => {
  expect(filterLines(['One', 'two', 'ONE more'], ' one ').map(({ index }) => index)).toEqual([0, 2]);
});

it('marks errors and warnings', () => {
  expect(filterLines(['[x][warning][main] a', '[x][critical][main] b', 'c'], '').map(({ level }) => level)).toEqual([
    'warning',
    'error',
    undefined,
  ]);
});
