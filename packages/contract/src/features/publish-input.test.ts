import { describe, expect, it } from 'vitest';
import { parsePublishedHost, parsePublishedPath, parseUpstreamTarget, parseUpstreamUrl } from './publish-input.ts';

describe('a published host', () => {
  it.each([
    ['shop.example.com', 'shop.example.com'],
    [' Shop.EXAMPLE.com. ', 'shop.example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['*.Example.com', '*.example.com'],
    ['*', '*'],
    ['192.0.2.1', '192.0.2.1'],
    ['2001:DB8:0::1', '[2001:db8::1]'],
    ['[::1]', '[::1]'],
    ['localhost', 'localhost'],
  ])('is read from %s as %s', (text, value) => {
    expect(parsePublishedHost(text)).toEqual({ ok: true, value });
  });

  it.each([
    ['shop.example.com:8080', 'has a port'],
    ['[::1]:80', 'has a port'],
    ['http://shop.example.com', 'is not a host name'],
    ['shop.example.com/path', 'is not a host name'],
    ['a b', 'is not a host name'],
    ['*.192.0.2.1', 'wildcard before an address'],
    ['*shop.example.com', 'is not a host name'],
    ['a.*.com', 'is not a host name'],
    ['-a.example', 'is not a host name'],
    ['%73hop', 'is not a host name'],
    ["shop'; reboot", 'is not a host name'],
    [`${'a'.repeat(64)}.example`, 'is not a host name'],
    [`${'a.'.repeat(200)}example`, 'is not a host name'],
    ['', 'is empty'],
    ['*.', 'is empty'],
  ])('is refused as %s', (text, message) => {
    const parsed = parsePublishedHost(text);
    expect(parsed).toMatchObject({ ok: false, message: expect.stringContaining(message) });
  });
});

describe('a published path', () => {
  it.each([
    ['/', '/'],
    ['/api', '/api'],
    ['/api/', '/api'],
    ['/a.b/c-d', '/a.b/c-d'],
  ])('is read from %s as %s', (text, value) => {
    expect(parsePublishedPath(text)).toEqual({ ok: true, value });
  });

  it.each([
    'api',
    '',
    '//',
    '/a//b',
    '/../etc',
    '/a/./b',
    '/a?b',
    '/a#b',
    '/a b',
    "/a'b",
    '/%2e%2e',
    `/${'a'.repeat(2000)}`,
  ])('is refused as %s', (text) => {
    expect(parsePublishedPath(text).ok).toBe(false);
  });
});

describe('an upstream', () => {
  it.each([
    ['http://127.0.0.1:9000', { address: '127.0.0.1', port: 9000, tls: false }],
    ['HTTPS://App.example.com', { address: 'app.example.com', port: 443, tls: true }],
    ['http://app.example.com/', { address: 'app.example.com', port: 80, tls: false }],
    ['app.example.com:8080', { address: 'app.example.com', port: 8080, tls: false }],
    ['[::1]:9000', { address: '::1', port: 9000, tls: false }],
    ['http://[2001:DB8::1]', { address: '2001:db8::1', port: 80, tls: false }],
    ['unix:/run/app.sock', { address: '/run/app.sock', port: undefined, tls: false }],
    // Other spellings of an address become the plain one, so that no check can be evaded by a spelling.
    ['http://0x7f000001:80', { address: '127.0.0.1', port: 80, tls: false }],
    ['http://2852039166:80', { address: '169.254.169.254', port: 80, tls: false }],
  ])('is read from %s', (text, value) => {
    expect(parseUpstreamUrl(text)).toEqual({ ok: true, value });
  });

  it.each([
    'app.example.com',
    'http://',
    'http://a:0',
    'http://a:65536',
    'http://a:99999999',
    'http://u:p@a:80',
    'http://a:80/path',
    'http://a:80?x',
    'ftp://a:80',
    '::1:9000:',
    'unix:relative',
    '',
  ])('is refused as %s', (text) => {
    expect(parseUpstreamUrl(text).ok).toBe(false);
  });

  it('on a Unix socket has no port, and any other needs one', () => {
    expect(parseUpstreamTarget({ address: 'unix:/a', port: 1 }).ok).toBe(false);
    expect(parseUpstreamTarget({ address: 'a.example' }).ok).toBe(false);
  });
});
