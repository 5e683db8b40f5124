import { expect, it } from 'vitest';
import { readVersions } from './versions.ts';

it('installed versions are listed, and malformed entries are skipped', () => {
  const good = { version: '1.39.3', source: 'cache', path: '/x/envoy' };
  expect(readVersions({ installed: [good, { version: 1 }, null], running: [] })).toEqual([good]);
  expect(readVersions(undefined)).toEqual([]);
  expect(readVersions({ installed: 'none' })).toEqual([]);
});
