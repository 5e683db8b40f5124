import { expect, it } from 'vitest';
import { quoteRainer } from './rainerscript.ts';

it('a text of RainerScript has no byte that could end it, and refuses NUL', () => {
  expect(quoteRainer('logs.example.com:6514')).toBe('"logs.example.com:6514"');
  expect(quoteRainer('a"b\\c\n$x`\'ä')).toBe('"a\\042b\\134c\\012\\044x\\140\\047\\303\\244"');
  expect(() => quoteRainer('a\0b')).toThrow('NUL');
});
