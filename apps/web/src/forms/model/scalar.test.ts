import { describe, expect, it } from 'vitest';
import { fromInput, toInput } from './scalar.ts';

describe('a scalar', () => {
  it('keeps every digit of a 64-bit integer', () => {
    expect(fromInput('uint64', '18446744073709551615')).toBe('18446744073709551615');
    expect(fromInput('int64', '-9223372036854775808')).toBe('-9223372036854775808');
    expect(toInput('18446744073709551615')).toBe('18446744073709551615');
  });

  it('is a number if JSON can represent it', () => {
    expect(fromInput('uint32', '8080')).toBe(8080);
    expect(fromInput('uint32', '1 000 000')).toBe(1_000_000);
    expect(fromInput('double', '1e3')).toBe(1000);
    expect(fromInput('float', '.5')).toBe(0.5);
  });

  it.each([
    ['nan', 'NaN'],
    ['inf', 'Infinity'],
    ['-Infinity', '-Infinity'],
  ])('typed as %j is the special number %j', (typed, json) => {
    expect(fromInput('double', typed)).toBe(json);
  });

  it('keeps typed text that is invalid, so that the check can report it', () => {
    expect(fromInput('uint32', '80a')).toBe('80a');
    expect(fromInput('uint32', '4294967296')).toBe('4294967296');
    expect(fromInput('double', '1..2')).toBe('1..2');
  });
});
