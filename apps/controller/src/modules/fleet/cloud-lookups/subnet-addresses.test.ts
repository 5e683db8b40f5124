import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computeUse } from './subnet-addresses.ts';

const lan = { cidr: '10.0.0.0/29', gateway: '10.0.0.1', pools: [{ start: '10.0.0.1', end: '10.0.0.6' }], used: [] };

describe('the free addresses of a subnet', () => {
  it('are those of its pools without the gateway and what ports use', () => {
    expect(computeUse({ ...lan, used: ['10.0.0.3', '10.0.0.2', '10.0.0.3'] }, 10)).toEqual({
      available: ['10.0.0.4', '10.0.0.5', '10.0.0.6'],
      totalAvailable: 3,
      used: ['10.0.0.2', '10.0.0.3'],
    });
  });

  it('are sorted as numbers, and pools that overlap, touch or are reversed count once', () => {
    const pools = [
      { start: '10.0.0.20', end: '10.0.0.21' },
      { start: '10.0.0.9', end: '10.0.0.11' },
      { start: '10.0.0.10', end: '10.0.0.12' },
      { start: '10.0.0.99', end: '10.0.0.98' },
    ];
    expect(computeUse({ cidr: '10.0.0.0/24', gateway: null, pools, used: ['10.0.0.100'] }, 10)).toEqual({
      available: ['10.0.0.9', '10.0.0.10', '10.0.0.11', '10.0.0.12', '10.0.0.20', '10.0.0.21'],
      totalAvailable: 6,
      used: ['10.0.0.100'],
    });
  });

  it('ignore addresses of other subnets and families', () => {
    const used = ['192.168.7.7', 'fd00::3', '10.0.0.4'];
    expect(computeUse({ ...lan, used }, 10)).toMatchObject({ used: ['10.0.0.4'], totalAvailable: 4 });
  });

  it('of IPv6 are counted, and listed up to the limit', () => {
    const pools = [{ start: 'fd00::2', end: 'fd00::ffff:ffff:ffff:ffff' }];
    const use = computeUse({ cidr: 'fd00::/64', gateway: 'fd00::1', pools, used: ['fd00:0::0002', 'fd00::5'] }, 3);
    expect(use.available).toEqual(['fd00::3', 'fd00::4', 'fd00::6']);
    expect(use.used).toEqual(['fd00::2', 'fd00::5']);
    expect(use.totalAvailable).toBeGreaterThan(1.8e19);
  });

  it.each([
    { cidr: 'nonsense', gateway: null, pools: [] },
    { cidr: '10.0.0.0/33', gateway: null, pools: [] },
    { cidr: '10.0.0.0/24', gateway: 'fd00::1', pools: [] },
    { cidr: '10.0.0.0/24', gateway: null, pools: [{ start: '10.0.0.2', end: 'fd00::9' }] },
    { cidr: '10.0.0.0/24', gateway: null, pools: [{ start: '10.0.0.2', end: '10.0.0.256' }] },
  ])('are refused if the description of the subnet is wrong: %j', (space) => {
    expect(() => computeUse({ ...space, used: [] }, 10)).toThrow();
  });

  it('and the taken ones of the pools add up to the size of the pools', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    fc.assert(
      fc.property(byte, byte, fc.array(byte), byte, (a, b, taken, gateway) => {
        const [start, end] = a < b ? [a, b] : [b, a];
        const of = (last: number) => `10.0.0.${last}`;
        const { available, totalAvailable } = computeUse(
          {
            cidr: '10.0.0.0/24',
            gateway: of(gateway),
            pools: [{ start: of(start), end: of(end) }],
            used: taken.map(of),
          },
          1000,
        );
        const occupied = new Set([...taken, gateway].filter((one) => one >= start && one <= end));
        expect(available).toHaveLength(totalAvailable);
        expect(totalAvailable + occupied.size).toBe(end - start + 1);
        for (const one of occupied) expect(available).not.toContain(of(one));
      }),
    );
  });
});
