import { expect, it } from 'vitest';
import { ifMatchOf } from './if-match.ts';

it('a change applies only to the record that was read, not to a new record with the same name', () => {
  expect(ifMatchOf({ etag: '"1.0123456789ab"', revision: 1 })).toBe('"1.0123456789ab"');
});

it('an answer without an ETag is identified by its revision', () => {
  expect(ifMatchOf({ etag: undefined, revision: 7 })).toBe('"7"');
});
