import { describe, expect, it } from 'vitest';
import { INVALID_HOST, normalizeHost } from './host.ts';
import { normalizeMethod } from './method.ts';

describe('the normalized host', () => {
  it.each([
    ['API.Example.COM', 'api.example.com'],
    ['api.example.com:443', 'api.example.com'],
    ['api.example.com:80', 'api.example.com'],
    ['api.example.com:8443', 'api.example.com:8443'],
    ['api.example.com.', 'api.example.com'],
    ['api.example.com.:443', 'api.example.com'],
    ['user:secret@api.example.com', 'api.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['[::1]:443', '[::1]'],
    ['[2001:DB8::1]:9000', '[2001:db8::1]:9000'],
    ['2001:db8:0::1', '[2001:db8::1]'],
    ['192.0.2.1:80', '192.0.2.1'],
    ['0xc0.0.2.1', '192.0.2.1'],
    ['my_service', 'my_service'],
  ])('of %j is %j', (authority, expected) => {
    expect(normalizeHost(authority)).toBe(expected);
  });

  it.each([
    '',
    '*',
    '*.example.com',
    'a,b',
    'a b',
    'a/b',
    'a..b',
    '-a.example',
    'a:99999',
    'a:http',
    'a\0b',
    `${'a'.repeat(64)}.example`,
    'a.'.repeat(200),
    'x'.repeat(70_000),
    '\u202eexample',
    '{other}',
  ])('of %j is the bucket of invalid ones', (authority) => {
    expect(normalizeHost(authority)).toBe(INVALID_HOST);
  });
});

describe('the normalized method', () => {
  it('keeps the nine of the specification and puts all others into one bucket', () => {
    expect(['GET', 'TRACE', 'get', 'PROPFIND', '', '__proto__'].map(normalizeMethod)).toEqual([
      'GET',
      'TRACE',
      'OTHER',
      'OTHER',
      'OTHER',
      'OTHER',
    ]);
  });
});
