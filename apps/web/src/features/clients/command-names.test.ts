import { expect, it } from 'vitest';
import { codeOf, formatDuration, nameOf } from './command-names.ts';

it('a command is described in words, and an unknown one by its code', () => {
  const start = { type: 'SERVICE', sub_type: 'SUB_START', operation: '' };
  expect([codeOf(start), nameOf(start)]).toEqual(['SERVICE SUB_START', 'Start']);
  expect(nameOf({ type: 'DATAPLANE_VERSION', sub_type: '', operation: 'SET_VERSION' })).toBe('Set Envoy version');
  expect(nameOf({ type: 'NEWER', sub_type: '', operation: 'X' })).toBe('NEWER X');
});

it('durations have a suitable unit', () => {
  expect([12, 999, 4200, 59_960, 185_000].map(formatDuration)).toEqual([
    '12 ms',
    '999 ms',
    '4.2 s',
    '60.0 s',
    '3 min 5 s',
  ]);
});
