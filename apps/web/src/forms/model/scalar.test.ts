import { describe, expect, it } from 'vitest';
import { checkScalarForm, fromInput, isBase64, toInput } from './scalar.ts';

describe('scalars', () => {
  it('keep every digit of 64-bit integers', () => {
    expect(fromInput('uint64', '18446744073709551615')).toBe('18446744073709551615');
    expect(fromInput('int64', '-9223372036854775808')).toBe('-9223372036854775808');
    expect(toInput('18446744073709551615')).toBe('18446744073709551615');
  });

  it('are numbers where JSON can hold them', () => {
    expect(fromInput('uint32', '8080')).toBe(8080);
    expect(fromInput('uint32', '1 000 000')).toBe(1_000_000);
    expect(fromInput('double', '1e3')).toBe(1000);
    expect(fromInput('float', '.5')).toBe(0.5);
  });

  it.each([
    ['nan', 'NaN'],
    ['inf', 'Infinity'],
    ['-Infinity', '-Infinity'],
  ])('%j is the special number %j', (typed, json) => {
    expect(fromInput('double', typed)).toBe(json);
    expect(checkScalarForm('double', json)).toBeUndefined();
  });

  it('keep what was typed when it is no value, for the check to name', () => {
    expect(fromInput('uint32', '80a')).toBe('80a');
    expect(checkScalarForm('uint32', '80a')).toBe('must be a whole number');
    expect(fromInput('uint32', '4294967296')).toBe('4294967296');
    expect(checkScalarForm('uint32', '4294967296')).toBe('must be at most 4294967295');
    expect(checkScalarForm('uint32', -1)).toBe('must be at least 0');
    expect(fromInput('double', '1..2')).toBe('1..2');
    expect(checkScalarForm('double', '1..2')).toBe('must be a number');
  });

  it('take whole numbers written as text, as proto-JSON does', () => {
    expect(checkScalarForm('uint32', '80')).toBeUndefined();
    expect(checkScalarForm('int64', 5)).toBeUndefined();
    expect(checkScalarForm('int32', 1.5)).toBe('must be a whole number');
  });

  it('know base64 in both alphabets', () => {
    for (const text of ['', 'aGk=', 'aGk', '_-8']) expect(isBase64(text)).toBe(true);
    for (const text of ['a', 'a b=', 'aGk==', '!']) expect(isBase64(text)).toBe(false);
  });
});
