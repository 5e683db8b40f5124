import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { isFormat } from './formats.ts';

const ADDRESSES = [
  '127.0.0.1',
  '255.255.255.255',
  '256.0.0.1',
  '1.2.3',
  '1',
  '0x7f.0.0.1',
  '01.2.3.4',
  '::',
  '::1',
  'fe80::1',
  'fe80::1%eth0',
  '::ffff:1.2.3.4',
  '1:2:3:4:5:6:7:8',
  '1:2:3:4:5:6:7:8:9',
  ':::',
  '[::1]',
  '12345::',
  '',
  'example.com',
];

describe('isFormat', () => {
  it.each(ADDRESSES)('has the same opinion of the address %j as Node.js', (address) => {
    expect(isFormat('ip', 'string', address)).toBe(isIP(address) !== 0);
    expect(isFormat('ipv4', 'string', address)).toBe(isIP(address) === 4);
    expect(isFormat('ipv6', 'string', address)).toBe(isIP(address) === 6);
  });

  it.each([
    ['hostname', 'shop.example.com.', true],
    ['hostname', '-shop.example.com', false],
    ['hostname', 'a'.repeat(64), false],
    ['address', '10.0.0.1', true],
    ['email', 'jane@example.com', true],
    ['email', 'jane @example.com', false],
    ['uuid', '01890000-0000-7000-8000-000000000000', true],
    ['uuid', '01890000', false],
    ['uri', 'https://example.com/', true],
    ['uri', '/path', false],
    ['uri_ref', '/path', true],
  ])('judges the %s %j', (format, text, verdict) => {
    expect(isFormat(format, 'string', text)).toBe(verdict);
  });

  it('takes bytes of the length of an address', () => {
    expect(isFormat('ipv4', 'bytes', '\x7f\0\0\x01')).toBe(true);
    expect(isFormat('ipv4', 'bytes', '127.0.0.1')).toBe(false);
  });
});
