import { threatIntelRoutes } from '@flotilla/contract';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isFeedName } from './feed-name.ts';

const NEARLY = fc.stringMatching(/^[A-Za-z0-9_.-]{0,66}$/);

it('a name is taken here exactly when the controller takes it', () => {
  const { query } = threatIntelRoutes.upload;
  if (!query) throw new Error('the route takes no query');
  const takes = (name: string) => query.safeParse({ name }).success;
  fc.assert(
    fc.property(
      fc.oneof(NEARLY, fc.string(), fc.constantFrom('upload', 'a', 'a'.repeat(63), 'a'.repeat(64))),
      (name) => {
        expect(isFeedName(name)).toBe(takes(name));
      },
    ),
  );
  expect(takes('known-attackers_2')).toBe(true);
});
