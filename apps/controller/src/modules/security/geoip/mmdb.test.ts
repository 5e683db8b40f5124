import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MmdbError, readMetadata, requireKind, treeBytes } from './mmdb.ts';
import { createMmdb } from './testing/mmdb.ts';

it('the metadata of a file are read', () => {
  const metadata = readMetadata(createMmdb('GeoLite2-City', { nodes: 1000 }));
  expect(metadata).toEqual({
    databaseType: 'GeoLite2-City',
    builtAt: new Date(1_700_000_000_000),
    nodeCount: 1000,
    recordSize: 24,
  });
  expect(treeBytes(metadata)).toBe(6000);
});

it.each([
  ['city', 'GeoLite2-City', true],
  ['city', 'DBIP-City-Lite', true],
  ['city', 'GeoLite2-ASN', false],
  ['city', 'Velocity', false],
  ['asn', 'DBIP-ASN-Lite (compat=GeoLite2-ASN)', true],
  ['asn', 'GeoLite2-City', false],
] as const)('the kind %s accepts %s: %s', (kind, type, fits) => {
  const check = () => requireKind(kind, readMetadata(createMmdb(type)));
  if (fits) expect(check).not.toThrow();
  else expect(check).toThrow(MmdbError);
});

it.each([
  [{ binary_format_major_version: 3 }, 'version'],
  [{ record_size: 23 }, 'records'],
  [{ node_count: 0 }, 'empty'],
  [{ database_type: 7 }, 'holds'],
] as const)('metadata that are %o are refused', (metadata, word) => {
  expect(() => readMetadata(createMmdb('GeoLite2-City', { metadata }))).toThrow(word);
});

it('a truncated or changed file is refused with a reason or read as far as possible, and never fails otherwise', () => {
  const good = createMmdb('GeoLite2-City');
  fc.assert(
    fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), (at, byte, length) => {
      const bad = Buffer.from(good.subarray(0, length));
      if (at < bad.length) bad[at] = byte;
      try {
        readMetadata(bad);
      } catch (error) {
        expect(error).toBeInstanceOf(MmdbError);
      }
    }),
    { numRuns: 2000 },
  );
});
