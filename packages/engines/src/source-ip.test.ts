import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveSourceIp, parseAddress } from './source-ip.ts';

describe('deriveSourceIp', () => {
  it.each<[string, string[], string, number, string]>([
    ['the entry that Envoy appended', ['192.0.2.1'], '', 0, '192.0.2.1'],
    ['the rightmost of several', ['203.0.113.9, 198.51.100.7,192.0.2.1'], '', 0, '192.0.2.1'],
    ['one hop left of it', ['203.0.113.9, 198.51.100.7,192.0.2.1'], '', 1, '198.51.100.7'],
    ['all lines as one list', ['203.0.113.9', '198.51.100.7', '192.0.2.1'], '', 1, '198.51.100.7'],
    ['the first entry of an earlier line', ['203.0.113.9,', '198.51.100.7', '192.0.2.1'], '', 3, '203.0.113.9'],
    ['an entry for an empty line', ['203.0.113.9', '', '192.0.2.1'], '', 2, '203.0.113.9'],
    ['nothing where the list is too short', ['203.0.113.9'], '', 1, ''],
    ['nothing where the token is no address', ['203.0.113.9, unknown'], '192.0.2.1:99', 0, ''],
    ['nothing for an empty last token', ['203.0.113.9,'], '', 0, ''],
    ['the peer without any list', [], '192.0.2.1:4711', 0, '192.0.2.1'],
    ['nothing without a list behind trusted hops', [], '192.0.2.1:4711', 1, ''],
    ['nothing for a peer on a Unix socket', [], '@/run/x.sock', 0, ''],
    ['an address with a port', ['192.0.2.1:8080'], '', 0, '192.0.2.1'],
    ['nothing for more hops than entries over all lines', ['203.0.113.9, 198.51.100.7', '192.0.2.1'], '', 3, ''],
    ['nothing for a token longer than addresses are', [`${'0'.repeat(100_000)}1`], '', 0, ''],
    ['an IPv6 address', ['[2001:DB8::0001]:443'], '', 0, '2001:db8::1'],
  ])('gives %s', (_, forwardedFor, peerAddress, hops, expected) => {
    expect(deriveSourceIp({ forwardedFor, peerAddress }, hops)).toBe(expected);
  });

  it('finds the same entry as splitting the whole list', () => {
    const token = fc.constantFrom('192.0.2.1', ' 198.51.100.7 ', '', 'unknown', '2001:db8::1', '203.0.113.9:80');
    const line = fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join(','));
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), fc.nat(8), (forwardedFor, hops) => {
        const entry =
          forwardedFor
            .join(',')
            .split(',')
            .at(-1 - hops) ?? '';
        expect(deriveSourceIp({ forwardedFor, peerAddress: '' }, hops)).toBe(parseAddress(entry));
      }),
    );
  });

  it('does not depend on entries that a client prepends', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { maxLength: 4 }), fc.ipV4(), (spoofed, peer) => {
        expect(deriveSourceIp({ forwardedFor: [...spoofed, peer], peerAddress: '' }, 0)).toBe(peer);
        const proxied = [...spoofed, `${peer}, 192.0.2.200`];
        expect(deriveSourceIp({ forwardedFor: proxied, peerAddress: '' }, 1)).toBe(peer);
      }),
    );
  });
});

describe('parseAddress', () => {
  it.each([
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:c000:0201', '192.0.2.1'],
    ['fe80::1%eth0', 'fe80::1'],
    ['2001:db8:0:0:0:0:0:1', '2001:db8::1'],
    [' 192.0.2.1 ', '192.0.2.1'],
    ['192.0.2.01', ''],
    ['192.0.2.1:x', ''],
    ['[192.0.2.1]', ''],
    ['[2001:db8::1', ''],
    ['example.com', ''],
    ['', ''],
  ])('reads %s as %s', (token, address) => expect(parseAddress(token)).toBe(address));
});
