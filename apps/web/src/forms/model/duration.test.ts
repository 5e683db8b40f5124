import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDuration, readDuration, showDuration, toJsonDuration } from './duration.ts';

describe('a duration', () => {
  it.each([
    ['500ms', '0.500s'],
    ['2m', '120s'],
    ['1.5', '1.500s'],
    ['1.5s', '1.500s'],
    ['1h 30m', '5400s'],
    ['250us', '0.000250s'],
    ['1ns', '0.000000001s'],
    ['1d', '86400s'],
    ['0', '0s'],
    ['-2s', '-2s'],
    ['.5s', '0.500s'],
    [' 10 s ', '10s'],
  ])('typed as %j is written as %j', (typed, json) => {
    const nanos = parseDuration(typed);
    expect(nanos === undefined ? undefined : toJsonDuration(nanos)).toBe(json);
  });

  it.each(['', 'abc', '5 parsecs', '1h 30', '1.5ns', '99999999999999999999s', 's', '--1s', '1e3s'])(
    'cannot be typed as %j',
    (typed) => {
      expect(parseDuration(typed)).toBeUndefined();
    },
  );

  it.each([
    ['0.250s', '250ms'],
    ['0.5s', '500ms'],
    ['120s', '2m'],
    ['7200s', '2h'],
    ['90s', '90s'],
    ['1.500s', '1.5s'],
    ['0.000001s', '1us'],
    ['0s', '0s'],
    ['nonsense', 'nonsense'],
    ['-1s', '-1s'],
  ])('stored as %j is shown as %j', (json, text) => {
    expect(showDuration(json)).toBe(text);
  });

  it('stays the same when it is shown and typed again', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 18n }), (nanos) => {
        const json = toJsonDuration(nanos);
        expect(parseDuration(showDuration(json))).toBe(nanos);
        expect(readDuration(json)).toBe(nanos);
      }),
    );
  });

  it('in a document must be proto-JSON', () => {
    expect(readDuration('500ms')).toBeUndefined();
    expect(readDuration(5)).toBeUndefined();
  });
});
