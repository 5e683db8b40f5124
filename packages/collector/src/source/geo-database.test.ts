import { Buffer } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { createGeoFile, encodeValue } from '../testing/mmdb.ts';
import { parseAddress } from './address.ts';
import { GeoDatabase, memberOf } from './geo-database.ts';
import { GeoDatabaseError } from './geo-values.ts';

const RECORDS = {
  '198.51.100.0/24': { country: { iso_code: 'DE' }, continent: { code: 'EU' } },
  '203.0.113.128/25': { country: { iso_code: 'BR' }, continent: { code: 'SA' } },
  '2001:db8::/32': { country: { iso_code: 'JP' }, continent: { code: 'AS' } },
} as const;

function countryOf(database: GeoDatabase, text: string): unknown {
  const address = parseAddress(text);
  return address && memberOf(database.find(address), 'country', 'iso_code');
}

describe('a GeoIP database', () => {
  it.each([24, 28, 32] as const)('finds records of IPv4 and IPv6 in trees of %s bits', (recordBits) => {
    const database = new GeoDatabase(createGeoFile(RECORDS, { recordBits }));
    expect(countryOf(database, '198.51.100.77')).toBe('DE');
    expect(countryOf(database, '203.0.113.128')).toBe('BR');
    expect(countryOf(database, '203.0.113.127')).toBeUndefined();
    expect(countryOf(database, '2001:db8:ffff::1')).toBe('JP');
    expect(countryOf(database, '2001:db9::1')).toBeUndefined();
    expect(countryOf(database, '8.8.8.8')).toBeUndefined();
  });

  it('has no record where a pointer leads to a pointer', () => {
    const circle = Buffer.from([(1 << 5) | 0, 0]);
    const database = new GeoDatabase(createGeoFile({ '198.51.100.0/24': circle }));
    expect(countryOf(database, '198.51.100.1')).toBeUndefined();
  });

  it('has no record that contains itself', () => {
    // A map of one entry whose value points to the map.
    const self = Buffer.concat([Buffer.from([(7 << 5) | 1]), encodeValue('country'), Buffer.from([1 << 5, 0])]);
    const database = new GeoDatabase(createGeoFile({ '198.51.100.0/24': self }));
    expect(countryOf(database, '198.51.100.1')).toBeUndefined();
  });

  it('has no record that claims sixteen million values', () => {
    const huge = Buffer.from([31, 4, 0xff, 0xff, 0xff]);
    const database = new GeoDatabase(createGeoFile({ '198.51.100.0/24': huge }));
    expect(countryOf(database, '198.51.100.1')).toBeUndefined();
  });

  it.each([
    ['an empty file', Buffer.alloc(0)],
    ['noise', Buffer.alloc(4096, 0xab)],
    ['a tree that is not there', createGeoFile(RECORDS, { metadata: { node_count: 0x7fffffff } })],
    ['records of an unknown size', createGeoFile(RECORDS, { metadata: { record_size: 7 } })],
  ])('refuses %s', (_, file) => {
    expect(() => new GeoDatabase(file)).toThrow(GeoDatabaseError);
  });

  it('answers something for every file in which one byte was changed', () => {
    const file = createGeoFile({ '198.51.100.0/24': RECORDS['198.51.100.0/24'] });
    for (let at = 0; at < file.length; at += 1) {
      const damaged = Buffer.from(file);
      damaged[at] = (damaged[at] ?? 0) ^ 0xff;
      let database: GeoDatabase;
      try {
        database = new GeoDatabase(damaged);
      } catch (error) {
        expect(error).toBeInstanceOf(GeoDatabaseError);
        continue;
      }
      expect(() => countryOf(database, '198.51.100.1')).not.toThrow();
    }
  });
});
