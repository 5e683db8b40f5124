import { describe, expect, it } from 'vitest';
import { isBase64, parseMapKey, parseScalar } from './scalars.ts';

describe('parseScalar', () => {
  it.each([
    ['uint32', '80', 80],
    ['uint32', 4_294_967_295, 4_294_967_295],
    ['int64', 5, '5'],
    ['uint64', '18446744073709551615', '18446744073709551615'],
    ['double', '1e3', 1000],
    ['double', 'NaN', Number.NaN],
    ['float', '-Infinity', Number.NEGATIVE_INFINITY],
    ['bool', true, true],
    ['bytes', 'aGk', 'hi'],
    ['bytes', '_-8', '\u00ff\u00ef'],
    ['string', 'ä', 'ä'],
  ])('reads a %s from the JSON %j', (type, json, value) => {
    const read = parseScalar(type, json);
    expect(typeof read === 'bigint' ? String(read) : read).toEqual(value);
  });

  it.each([
    ['uint32', -1],
    ['uint32', '4294967296'],
    ['uint32', 1.5],
    ['uint32', '80a'],
    ['int64', '9223372036854775808'],
    ['uint64', '1'.repeat(41)],
    ['double', '1..2'],
    ['float', 3.5e38],
    ['bool', 'true'],
    ['bytes', 'a'],
    ['string', '\ud800'],
    ['string', null],
    ['message', {}],
  ])('refuses for a %s the value %j', (type, json) => {
    expect(parseScalar(type, json)).toBeUndefined();
  });
});

it('parseScalar takes a bigint for a whole number', () => {
  expect(parseScalar('uint64', 7n)).toBe(7n);
  expect(parseScalar('uint32', 7n)).toBe(7);
});

it('parseMapKey reads keys, which are always strings in JSON', () => {
  expect(parseMapKey('bool', 'true')).toBe(true);
  expect(parseMapKey('bool', 'yes')).toBeUndefined();
  expect(parseMapKey('uint32', '7')).toBe(7);
  expect(parseMapKey('uint32', '7e0')).toBeUndefined();
  expect(parseMapKey('string', '')).toBe('');
});

it('isBase64 accepts both alphabets, with or without padding', () => {
  for (const text of ['', 'aGk=', 'aGk', '_-8']) expect(isBase64(text)).toBe(true);
  for (const text of ['a', 'a b=', 'aGk==', '!']) expect(isBase64(text)).toBe(false);
});
