import { describe, expect, test } from 'vitest';
import { defaultEnvoyCacheDir } from './dist.ts';
import { KNOWN_VERSIONS, WHEEL_BINARY_SHA256 } from './known.ts';
import { parseChecksum } from './release.ts';
import { compareVersions, newestOfLine, parseVersionRequest } from './version.ts';

describe('a version', () => {
  test('is exact, a line, or invalid; a packager suffix does not change it', () => {
    expect(parseVersionRequest('1.39.3')).toEqual({ kind: 'exact', version: '1.39.3' });
    expect(parseVersionRequest(' v1.39.3 ')).toEqual({ kind: 'exact', version: '1.39.3' });
    expect(parseVersionRequest('1.36.2.post1')).toEqual({ kind: 'exact', version: '1.36.2' });
    expect(parseVersionRequest('1.39')).toEqual({ kind: 'line', line: '1.39' });
    for (const text of ['1', 'x', '1.39.3-dev', '1.39.3/..', '', '1.2.3.4', '-1.2.3', '1.39.\n3']) {
      expect(parseVersionRequest(text), text).toBeUndefined();
    }
  });

  test('is ordered numerically, not alphabetically', () => {
    expect(['1.9.0', '1.40.0', '1.10.1', '1.10.0'].sort(compareVersions)).toEqual([
      '1.9.0',
      '1.10.0',
      '1.10.1',
      '1.40.0',
    ]);
    expect(newestOfLine(['1.39.9', '1.39.10', '1.3.99', '1.390.0'], '1.39')).toBe('1.39.10');
    expect(newestOfLine([], '1.39')).toBeUndefined();
  });

  test('with a known digest is a known version', () => {
    for (const version of Object.keys(WHEEL_BINARY_SHA256)) expect(KNOWN_VERSIONS).toContain(version);
  });
});

describe('a checksum file', () => {
  const digest = 'AB'.repeat(32);

  test('gives the lowercase digest of exactly the named file', () => {
    const lines = `${'1'.repeat(64)}  envoy-1.2.3-linux-x86_64.tar\r\n${digest} *bin/envoy-1.2.3-linux-x86_64\r\n`;
    expect(parseChecksum(lines, 'envoy-1.2.3-linux-x86_64')).toBe(digest.toLowerCase());
    expect(parseChecksum(lines, 'envoy-1.2.3-linux-x86')).toBeUndefined();
    expect(parseChecksum(`${digest.slice(1)}  envoy`, 'envoy')).toBeUndefined();
  });
});

test('the cache is where the environment says, else in the data directory, else in the user cache', () => {
  expect(defaultEnvoyCacheDir({ FLOTILLA_CACHE: '/c', SVC_DATA_DIR: '/d' })).toBe('/c/envoy');
  expect(defaultEnvoyCacheDir({ SVC_DATA_DIR: '/d', HOME: '/h' })).toBe('/d/envoy');
  expect(defaultEnvoyCacheDir({ HOME: '/h' })).toBe('/h/.cache/flotilla/envoy');
});
