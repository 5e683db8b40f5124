import { describe, expect, it } from 'vitest';
import {
  announcementsOf,
  FRAME_BYTES,
  parseMac,
  probeOf,
  questionTo,
  readAdvertisement,
  readArp,
  toBytes,
} from './frames.ts';

const MAC = parseMac('02:00:5e:10:00:01');
const hex = (bytes: Buffer, from: number, to: number) => bytes.subarray(from, to).toString('hex');

describe('a frame', () => {
  it('announces an IPv4 address as request and as reply, to everybody', () => {
    const [request = MAC, reply = MAC] = announcementsOf('192.0.2.10', MAC);
    const arp = '0001080006040001'.concat('02005e100001', 'c000020a', '000000000000', 'c000020a');
    expect(hex(request, 0, 42)).toBe(`ffffffffffff02005e1000010806${arp}`);
    expect(hex(reply, 20, 42)).toBe(`000202005e100001c000020a02005e100001c000020a`);
    expect([request.length, reply.length]).toEqual([FRAME_BYTES, FRAME_BYTES]);
  });

  it('announces an IPv6 address to all nodes, with a checksum that others accept', () => {
    const [frame = MAC, ...more] = announcementsOf('2001:db8::5', parseMac('0e:aa:48:dd:83:13'));
    expect(more).toEqual([]);
    expect(frame).toHaveLength(FRAME_BYTES);
    expect(hex(frame, 0, 22)).toBe('3333000000010eaa48dd831386dd6000000000203aff');
    // A kernel sent the same advertisement with the flags of an override, and this checksum.
    expect(hex(frame, 54, 62)).toBe('8800208920000000');
    expect(readAdvertisement(frame.subarray(54))).toBe(toBytes('2001:db8::5').toString('hex'));
  });

  it('asks who else has an address, from nobody', () => {
    expect(readArp(probeOf('192.0.2.10', MAC))).toEqual({ ip: '0.0.0.0', mac: MAC });
    const probe = probeOf('2001:db8::a:b0c', MAC);
    expect(hex(probe, 0, 6)).toBe('3333ff0a0b0c');
    expect(hex(probe, 22, 54)).toBe(`${'0'.repeat(32)}ff0200000000000000000001ff0a0b0c`);
  });

  it('asks a next hop directly if its hardware address is known', () => {
    const hop = parseMac('02:00:5e:10:00:fe');
    expect(hex(questionTo({ ip: '192.0.2.254', mac: hop }, '192.0.2.10', MAC), 0, 6)).toBe('02005e1000fe');
    expect(hex(questionTo({ ip: '192.0.2.254' }, '192.0.2.10', MAC), 0, 6)).toBe('ffffffffffff');
  });

  it.each([
    ['::', '0'.repeat(32)],
    ['2001:db8::', '20010db8'.padEnd(32, '0')],
    ['::1', '1'.padStart(32, '0')],
    ['1:2:3:4:5:6:7:8', '00010002000300040005000600070008'],
    ['::ffff:192.0.2.1', 'ffffc0000201'.padStart(32, '0')],
    ['192.0.2.1', 'c0000201'],
  ])('has the bytes of %s', (address, expected) => {
    expect(toBytes(address).toString('hex')).toBe(expected);
  });

  it('that is short or no ARP is ignored', () => {
    expect(readArp(Buffer.alloc(41))).toBeUndefined();
    expect(readArp(Buffer.alloc(42))).toBeUndefined();
    expect(readAdvertisement(Buffer.alloc(24))).toBeUndefined();
  });
});
