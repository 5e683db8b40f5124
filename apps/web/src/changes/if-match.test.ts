import { expect, it } from 'vitest';
import { ifMatchOf } from './if-match.ts';

it('a change is meant for the very record that was read, which one of the same name may follow', () => {
  expect(ifMatchOf({ etag: '"1.0123456789ab"', revision: 1 })).toBe('"1.0123456789ab"');
});

it('of an answer that came without its ETag the revision is left', () => {
  expect(ifMatchOf({ etag: undefined, revision: 7 })).toBe('"7"');
});
