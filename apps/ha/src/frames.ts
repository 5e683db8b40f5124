import { isIPv6 } from 'node:net';

/** A hardware address: 6 bytes. */
export type Mac = Buffer;

/** All frames have the length of the longest, so that their stream can be cut. The rest of a shorter one is padding. */
export const FRAME_BYTES = 86;
/** The length of an ARP message with its Ethernet header. */
export const ARP_BYTES = 42;
/** The length of a neighbour advertisement up to its target. */
export const ADVERTISEMENT_BYTES = 24;

const BROADCAST = Buffer.alloc(6, 0xff);
const NOBODY = Buffer.alloc(6);
const ETHERNET = { arp: 0x08_06, ipv6: 0x86_dd } as const;
const ARP = { request: 1, reply: 2 } as const;
const ICMP6 = { solicitation: 135, advertisement: 136 } as const;
const ICMP6_PROTOCOL = 58;
const HOP_LIMIT = 255;
/** The advertisement replaces what its reader knew. */
const OVERRIDE = 0x20;
const TARGET_LINK_ADDRESS = Buffer.from([2, 1]);
const ALL_NODES = toBytes('ff02::1');
const UNSPECIFIED = { ipv4: Buffer.alloc(4), ipv6: Buffer.alloc(16) } as const;

export function parseMac(text: string): Mac {
  return Buffer.from(text.replaceAll(':', ''), 'hex');
}

/** Frames that tell all neighbours that an address is at this hardware address now. */
export function announcementsOf(address: string, mac: Mac): Buffer[] {
  if (isIPv6(address)) return [advertise(toBytes(address), mac)];
  const ip = toBytes(address);
  return [
    arp({ to: BROADCAST, mac, op: ARP.request, sender: ip, target: ip, targetMac: NOBODY }),
    // RFC 5227 uses requests, and some devices only believe replies.
    arp({ to: BROADCAST, mac, op: ARP.reply, sender: ip, target: ip, targetMac: mac }),
  ];
}

/** A question to a neighbour, after which it knows where the sender is. Without a hardware address, all hear the question. */
export function questionTo(
  neighbour: { readonly ip: string; readonly mac?: Mac | undefined },
  ip: string,
  mac: Mac,
): Buffer {
  const { ip: target, mac: to = BROADCAST } = neighbour;
  return arp({ to, mac, op: ARP.request, sender: toBytes(ip), target: toBytes(target), targetMac: NOBODY });
}

/** Asks whether anybody else has the address, without a change of what anybody knows (RFC 5227, RFC 4862 section 5.4). */
export function probeOf(address: string, mac: Mac): Buffer {
  const target = toBytes(address);
  if (!isIPv6(address))
    return arp({ to: BROADCAST, mac, op: ARP.request, sender: UNSPECIFIED.ipv4, target, targetMac: NOBODY });
  const group = Buffer.concat([Buffer.from('ff0200000000000000000001ff', 'hex'), target.subarray(13)]);
  return icmp6({ mac, from: UNSPECIFIED.ipv6, to: group, message: neighbourMessage(ICMP6.solicitation, 0, target) });
}

/** The sender of an ARP message. */
export function readArp(frame: Buffer): { readonly ip: string; readonly mac: Mac } | undefined {
  if (frame.length < ARP_BYTES || frame.readUInt16BE(12) !== ETHERNET.arp || frame.readUInt16BE(16) !== 0x08_00)
    return undefined;
  return { mac: frame.subarray(22, 28), ip: [...frame.subarray(28, 32)].join('.') };
}

/** The target of a neighbour advertisement, in hexadecimal digits. */
export function readAdvertisement(message: Buffer): string | undefined {
  return message[0] === ICMP6.advertisement ? message.subarray(8, ADVERTISEMENT_BYTES).toString('hex') : undefined;
}

interface Arp {
  readonly to: Mac;
  readonly mac: Mac;
  readonly op: number;
  readonly sender: Buffer;
  readonly target: Buffer;
  readonly targetMac: Mac;
}

function arp({ to, mac, op, sender, target, targetMac }: Arp): Buffer {
  const head = Buffer.from([0, 1, 0x08, 0, 6, 4, 0, op]);
  return frame(to, mac, ETHERNET.arp, Buffer.concat([head, mac, sender, targetMac, target]));
}

function advertise(address: Buffer, mac: Mac): Buffer {
  const option = Buffer.concat([TARGET_LINK_ADDRESS, mac]);
  const message = Buffer.concat([neighbourMessage(ICMP6.advertisement, OVERRIDE, address), option]);
  return icmp6({ mac, from: address, to: ALL_NODES, message });
}

function neighbourMessage(type: number, flags: number, target: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type, 0, 0, 0, flags, 0, 0, 0]), target]);
}

interface Icmp6 {
  readonly mac: Mac;
  readonly from: Buffer;
  readonly to: Buffer;
  readonly message: Buffer;
}

/** To a multicast group, whose hardware address has the last four bytes of the group. */
function icmp6({ mac, from, to, message }: Icmp6): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  const sum = checksum(Buffer.concat([from, to, length, Buffer.from([0, 0, 0, ICMP6_PROTOCOL]), message]));
  message.writeUInt16BE(sum, 2);
  const head = Buffer.concat([
    Buffer.from([0x60, 0, 0, 0]),
    length.subarray(2),
    Buffer.from([ICMP6_PROTOCOL, HOP_LIMIT]),
  ]);
  const group = Buffer.concat([Buffer.from([0x33, 0x33]), to.subarray(12)]);
  return frame(group, mac, ETHERNET.ipv6, Buffer.concat([head, from, to, message]));
}

function frame(to: Mac, from: Mac, type: number, content: Buffer): Buffer {
  const kind = Buffer.alloc(2);
  kind.writeUInt16BE(type);
  const bytes = Buffer.concat([to, from, kind, content]);
  return Buffer.concat([bytes, Buffer.alloc(FRAME_BYTES - bytes.length)]);
}

/** RFC 1071. */
function checksum(bytes: Buffer): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 2) sum += bytes.readUInt16BE(i);
  while (sum > 0xff_ff) sum = (sum & 0xff_ff) + (sum >> 16);
  return ~sum & 0xff_ff;
}

/** The bytes of an address. */
export function toBytes(address: string): Buffer {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const [head = '', tail] = expandIpv4(address).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = tail === undefined ? left : [...left, ...zeros, ...right];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Addresses like `::ffff:192.0.2.1` end with four decimal bytes. */
function expandIpv4(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  });
}
