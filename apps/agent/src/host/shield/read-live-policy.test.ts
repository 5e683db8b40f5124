import { expect, it } from 'vitest';
import { parseLivePolicy } from './read-live-policy.ts';

it('parseLivePolicy accepts only a digest as the running policy (attack 3)', () => {
  const version = 'ab'.repeat(32);
  expect(parseLivePolicy({ version, duty: 'serving' })).toBe(version);
  expect(parseLivePolicy({ version, duty: 'standby' })).toBe(version);
  expect(parseLivePolicy({ version, duty: 'starting' })).toBeUndefined();
  for (const other of ['', `${version}\n`, version.repeat(100_000), 'x'.repeat(64), 7, null, undefined]) {
    expect(parseLivePolicy({ version: other, duty: 'serving' })).toBeUndefined();
  }
  expect(parseLivePolicy('nothing')).toBeUndefined();
});
