import { expect, it } from 'vitest';
import { matchArchive, readHostVersions, readVersionAction } from './host-versions.ts';

it('the versions of a host are read, and malformed entries are left out', () => {
  const installed = [
    { version: '1.39.3', source: 'cache', path: '/x/envoy', sha256: 'ab', bytes: 7, used_by: ['service shop', 3] },
    { version: '1.38.0', source: 'path', path: '/usr/bin/envoy' },
    { version: 1 },
    null,
  ];
  expect(readHostVersions({ installed })).toEqual([
    { version: '1.39.3', source: 'cache', path: '/x/envoy', sha256: 'ab', bytes: 7, usedBy: ['service shop'] },
    { version: '1.38.0', source: 'path', path: '/usr/bin/envoy', sha256: undefined, bytes: undefined, usedBy: [] },
  ]);
  for (const other of [undefined, null, 7, { installed: 'none' }]) expect(readHostVersions(other)).toBeUndefined();
  expect(readVersionAction({ operation_summary: { action: 'version_kept' } })).toBe('version_kept');
  expect(readVersionAction({ operation_summary: { action: {} } })).toBeUndefined();
});

it('a file on a host is the one of the archive if their digests are equal', () => {
  const binaries = [{ arch: 'linux-amd64', download_url: 'https://archive.example.com/e', sha256: 'ab' }];
  const releases = [{ version: '1.40.0', date: null, binaries }];
  expect(matchArchive({ version: '1.40.0', sha256: 'ab' }, releases)).toBe('same');
  expect(matchArchive({ version: '1.40.0', sha256: 'cd' }, releases)).toBe('differs');
  expect(matchArchive({ version: '1.40.0', sha256: undefined }, releases)).toBe('unknown');
  expect(matchArchive({ version: '1.39.0', sha256: 'ab' }, releases)).toBe('unlisted');
  expect(matchArchive({ version: '1.39.0', sha256: 'ab' }, undefined)).toBe('unknown');
});
