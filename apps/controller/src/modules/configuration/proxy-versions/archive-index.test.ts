import { expect, it } from 'vitest';
import { findBinary, parseArchiveIndex } from './archive-index.ts';

const SHA = 'A'.repeat(64);
const binary = (fields: object = {}) => ({
  arch: 'linux-amd64',
  download_url: 'https://archive.example.com/envoy',
  sha256: SHA,
  ...fields,
});
const release = (version: unknown, ...binaries: unknown[]) => ({
  version,
  date: '2026-07-14T00:00:00Z',
  binaries: binaries.length > 0 ? binaries : [binary()],
});

function read(document: unknown, url = 'https://archive.example.com/envoy/index.json') {
  const parsed = parseArchiveIndex(Buffer.from(JSON.stringify(document)), url);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
}
const problemOf = (bytes: Uint8Array) => {
  const parsed = parseArchiveIndex(bytes, 'https://archive.example.com/index.json');
  return parsed.ok ? 'none' : parsed.error;
};

it('the releases of an index are sorted by version, and unknown members are ignored', () => {
  const index = read({
    releases: [release('v1.9.0'), { ...release('v1.40.0'), extra: 1 }, release('1.10.2')],
    ui_releases: [{ version: 'v9.9.9', files: [] }],
    coroza_releases: [release('v0.6.0', binary({ arch: 'wasm-amd64' }))],
  });
  expect(index.envoy.map(({ version }) => version)).toEqual(['1.40.0', '1.10.2', '1.9.0']);
  expect(index.envoy[0]).toEqual({
    version: '1.40.0',
    date: '2026-07-14T00:00:00Z',
    binaries: [{ ...binary(), sha256: 'a'.repeat(64) }],
  });
  expect(index.waf.map(({ version }) => version)).toEqual(['0.6.0']);
  expect(index.skipped).toEqual([]);
});

it('wrong elements of an index are left out and named, and the others count', () => {
  const index = read({
    releases: [
      release('v1.40.0', binary(), binary({ arch: 'linux-arm64', sha256: 'abc' })),
      release('../../etc'),
      release('v1.40.0'),
      release('v1.39.0', binary({ download_url: 'http://archive.example.com/envoy' })),
      release('v1.38.0', binary({ download_url: 'https://user:key@archive.example.com/envoy' })),
      release('v1.37.0', binary({ download_url: 'file:///etc/passwd' })),
      release('v1.36.0', binary({ arch: '<img src=x>' })),
      release('v1.35.9', binary({ download_url: 'https://127.0.0.1:9901/quitquitquit' })),
      release('v1.40.0-rc1'),
      { version: 'v1.35.0' },
      7,
      null,
    ],
    coroza_releases: 'none',
  });
  expect(index.envoy.map(({ version, binaries }) => [version, binaries.map(({ arch }) => arch)])).toEqual([
    ['1.40.0', ['linux-amd64']],
  ]);
  expect(index.skipped).toEqual([
    { at: 'releases[0].binaries[1]', reason: 'has a sha256 that is not 64 hexadecimal digits' },
    { at: 'releases[1]', reason: 'has a version that is not like v1.40.0' },
    { at: 'releases[2]', reason: 'repeats the version 1.40.0' },
    { at: 'releases[3].binaries[0]', reason: 'has a download_url that must use https' },
    { at: 'releases[3]', reason: 'has no binary that can be used' },
    { at: 'releases[4].binaries[0]', reason: 'has a download_url that holds a user name or a password' },
    { at: 'releases[4]', reason: 'has no binary that can be used' },
    { at: 'releases[5].binaries[0]', reason: 'has a download_url that is not an address with https' },
    { at: 'releases[5]', reason: 'has no binary that can be used' },
    { at: 'releases[6].binaries[0]', reason: 'has an arch that is not like linux-amd64' },
    { at: 'releases[6]', reason: 'has no binary that can be used' },
    { at: 'releases[7].binaries[0]', reason: 'has a download_url that is on loopback' },
    { at: 'releases[7]', reason: 'has no binary that can be used' },
    { at: 'releases[8]', reason: 'has a version that is not like v1.40.0' },
    { at: 'releases[9]', reason: 'has no list of binaries' },
    { at: 'releases[10]', reason: 'is not an object' },
    { at: 'releases[11]', reason: 'is not an object' },
    { at: 'coroza_releases', reason: 'is not a list' },
  ]);
});

it('an index that is no JSON object is refused as a whole', () => {
  expect(problemOf(Buffer.from('<html>sign in</html>'))).toMatch(/^its index is not JSON/);
  expect(problemOf(Buffer.from('[]'))).toBe('its index is not a JSON object');
  expect(problemOf(Buffer.from('null'))).toBe('its index is not a JSON object');
  expect(problemOf(Buffer.from([0x7b, 0xff, 0x7d]))).toMatch(/^its index is not JSON/);
});

it('a huge index is read up to its bounds', () => {
  const releases = Array.from({ length: 5000 }, (_, i) => release(`1.${i % 1000}.${i}`));
  const index = read({ releases, coraza_releases: Array.from({ length: 900 }, () => 'x') });
  expect(index.envoy).toHaveLength(1000);
  expect(index.skipped).toHaveLength(100);
  expect(index.skipped[0]).toEqual({ at: 'releases[1000]', reason: 'only 1000 releases are read' });
});

it('relative addresses of binaries are below the address of the archive', () => {
  const releases = [release('v1.40.0', binary({ download_url: 'v1.40.0/envoy' }))];
  const [found] = read({ releases }).envoy;
  expect(found?.binaries[0]?.download_url).toBe('https://archive.example.com/envoy/v1.40.0/envoy');
  const loopback = read({ releases }, 'http://127.0.0.1:9/index.json').envoy[0];
  expect(loopback?.binaries[0]?.download_url).toBe('http://127.0.0.1:9/v1.40.0/envoy');
});

it('the binary of a host is that of its architecture, and a WAF module fits every host', () => {
  const index = read({
    releases: [release('v1.40.0')],
    coroza_releases: [release('v0.6.0', binary({ arch: 'wasm-amd64' }))],
  });
  const find = (kind: 'envoy' | 'waf', version: string, arch: string) => findBinary(index, { kind, version, arch });
  expect(find('envoy', '1.40.0', 'linux-amd64')).toMatchObject({ ok: true });
  expect(find('envoy', '1.40.0', 'linux-arm64')).toEqual({
    ok: false,
    error: 'the release archive has the Envoy 1.40.0 only for linux-amd64, not for linux-arm64',
  });
  expect(find('envoy', '1.41.0', 'linux-amd64')).toMatchObject({ error: /does not list the Envoy 1\.41\.0/ });
  expect(find('waf', '0.6.0', 'linux-arm64')).toMatchObject({ ok: true, value: { arch: 'wasm-amd64' } });
});
