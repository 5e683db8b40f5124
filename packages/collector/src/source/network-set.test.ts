import { describe, expect, it } from 'vitest';
import { isInternal, parseAddress, sourceKeyOf } from './address.ts';
import { NetworkSet, NetworkSetBuilder } from './network-set.ts';

function has(set: NetworkSet, text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) throw new Error(`${text} is no address`);
  return set.has(address);
}

describe('addresses', () => {
  it.each([
    '',
    '1.2.3',
    '1.2.3.256',
    '01.2.3.4',
    '0x7f.0.0.1',
    '1.2.3.4:80',
    '::1::',
    ':::',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    'g::1',
    '/run/envoy.sock',
    '@/abstract',
    '1'.repeat(70),
  ])('%j is not one', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  it('an IPv4 address in the form of IPv6 is the IPv4 address', () => {
    expect(parseAddress('::ffff:192.0.2.1')).toEqual(parseAddress('192.0.2.1'));
    expect(parseAddress('::ffff:c000:201')).toEqual(parseAddress('192.0.2.1'));
  });

  it('a /64 network of IPv6 has one key, because one customer has it', () => {
    const keyOf = (text: string) => sourceKeyOf(parseAddress(text) ?? { family: 4, value: 0 });
    expect(keyOf('2001:db8:1:2::1')).toBe(keyOf('2001:db8:1:2:ffff::9'));
    expect(keyOf('2001:db8:1:2::1')).not.toBe(keyOf('2001:db8:1:3::1'));
    expect(keyOf('192.0.2.1')).not.toBe(keyOf('192.0.2.2'));
  });

  it.each([
    '10.1.2.3',
    '127.0.0.1',
    '172.31.0.1',
    '192.168.9.9',
    '169.254.1.1',
    '100.64.0.1',
    '::1',
    'fe80::1%eth0',
    'fd00::1',
  ])('%s is internal', (text) => {
    expect(isInternal(parseAddress(text) ?? { family: 4, value: 1e9 })).toBe(true);
  });

  it.each(['172.32.0.1', '198.51.100.1', '2001:db8::1', '100.128.0.1'])('%s is not internal', (text) => {
    expect(isInternal(parseAddress(text) ?? { family: 4, value: 0 })).toBe(false);
  });
});

describe('a set of networks', () => {
  it('has the first and the last address of a network, and no neighbour', () => {
    const set = NetworkSet.of(['198.51.100.128/25', '2001:db8:5::/48', '203.0.113.9', '0.0.0.0/8']);
    for (const inside of ['198.51.100.128', '198.51.100.255', '203.0.113.9', '0.0.0.0', '0.255.255.255']) {
      expect([inside, has(set, inside)]).toEqual([inside, true]);
    }
    for (const outside of ['198.51.100.127', '198.51.101.0', '203.0.113.8', '203.0.113.10', '1.0.0.0']) {
      expect([outside, has(set, outside)]).toEqual([outside, false]);
    }
    expect(has(set, '2001:db8:5:ffff:ffff:ffff:ffff:ffff')).toBe(true);
    expect(has(set, '2001:db8:4:ffff:ffff:ffff:ffff:ffff')).toBe(false);
    expect(has(set, '2001:db8:6::')).toBe(false);
  });

  it('merges networks that overlap or touch', () => {
    const set = NetworkSet.of(['192.0.2.0/25', '192.0.2.128/25', '192.0.2.7', '2001:db8::/33', '2001:db8:8000::/33']);
    expect(set.size).toBe(2);
    expect(has(set, '192.0.2.200')).toBe(true);
    expect(has(set, '2001:db8:9000::1')).toBe(true);
  });

  it('leaves out what is no network', () => {
    const builder = new NetworkSetBuilder();
    expect(['nonsense', '', '1.2.3.4/33', '1.2.3.4/-1', '::/129', '1.2.3.4/'].map((text) => builder.add(text))).toEqual(
      new Array(6).fill(false),
    );
    expect(builder.build().size).toBe(0);
  });

  it('agrees with a plain search in a million random networks', () => {
    let state = 7;
    const random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state;
    };
    const builder = new NetworkSetBuilder();
    const known: (readonly [number, number])[] = [];
    for (let index = 0; index < 1_000_000; index += 1) {
      const first = (random() & 0xffffff00) >>> 0;
      if (index % 1000 === 0) known.push([first, first + 255]);
      builder.add(`${first >>> 24}.${(first >>> 16) & 255}.${(first >>> 8) & 255}.0/24`);
    }
    const set = builder.build();
    for (const [first, last] of known) {
      expect(set.has({ family: 4, value: first }) && set.has({ family: 4, value: last })).toBe(true);
    }
    expect(set.size).toBeGreaterThan(500_000);
  });
});
