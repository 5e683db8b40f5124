import ipaddr from 'ipaddr.js';
import { CLOUD_IDENTITY, type Restriction, restrict } from './reach.ts';

/** Ports of admin endpoints on loopback. */
export const ADMIN_PORT_MIN = 33_100;
export const ADMIN_PORT_MAX = 39_999;

const ADMIN_ADDRESS = restrict('host', 'is an address that is kept for admin endpoints');
/** Placeholder for the addresses of the client, which the controller inserts (`listener.ts`). */
const CLIENT_ADDRESS = '@client';

/** Addresses at which clouds report the identity of the host, besides the link-local ones. */
const IDENTITY_ADDRESSES: ReadonlySet<string> = new Set([
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  'fd00:ec2::23',
  'fd00:ec2::254',
  'fd20:ce::254',
  'fd00:c1::a9fe:a9fe',
]);
const IDENTITY_NAMES: ReadonlySet<string> = new Set([
  'api.metadata.cloud.ibm.com',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.azure.internal',
  'metadata.goog',
  'metadata.google.internal',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
]);
/** `169.254.169.254.example.com`: public resolvers resolve such names to the address in them. */
const NAMED_LINK_LOCAL = /(?:^|[.-])(?:169[.-]254[.-]\d{1,3}[.-]\d{1,3}|a9fe[\da-f]{4})(?:[.-]|$)/;

/** Documentation addresses occur in examples and tests, and no host has one. */
const DOCUMENTATION = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32'].map((range) =>
  ipaddr.parseCIDR(range),
);

/** The reason why a tenant may not use this address, if any. A name counts as an unknown address. */
export function restrictionOfAddress(address: string, port: unknown): Restriction | undefined {
  if (address === CLIENT_ADDRESS) return undefined;
  if (isIdentityAddress(address)) return CLOUD_IDENTITY;
  return isAdminPort(port) && !isPublicAddress(address) ? ADMIN_ADDRESS : undefined;
}

/** For a port whose address is elsewhere in the document. */
export function restrictionOfPort(port: unknown): Restriction | undefined {
  return isAdminPort(port) ? ADMIN_ADDRESS : undefined;
}

function isAdminPort(port: unknown): boolean {
  const number = Number(port);
  return number >= ADMIN_PORT_MIN && number <= ADMIN_PORT_MAX;
}

/**
 * True for an address in the form that Envoy reads and that anybody on the internet may have. Names may resolve to
 * loopback now or later, and so may text that only some resolvers read as a number (`0x7f000001`, `2130706433`, `0`).
 */
export function isPublicAddress(address: string): boolean {
  const isPlain =
    ipaddr.IPv4.isValidFourPartDecimal(address) || (/^[0-9a-f:.]+$/i.test(address) && ipaddr.IPv6.isValid(address));
  const parsed = isPlain ? ipaddr.process(address) : undefined;
  if (!parsed) return false;
  return (parsed.range() === 'unicast' && !hasEmbeddedAddress(parsed)) || isDocumentation(parsed);
}

function isDocumentation(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return DOCUMENTATION.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}

/** `::127.0.0.1`: IPv4-compatible addresses, which the library classifies as unicast. */
function hasEmbeddedAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv6 && address.parts.slice(0, 6).every((part) => part === 0);
}

function isIdentityAddress(address: string): boolean {
  const text = address
    .normalize('NFKC')
    .trim()
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.+$/, '');
  const parsed = parseLoosely(text);
  if (!parsed) return IDENTITY_NAMES.has(text) || NAMED_LINK_LOCAL.test(text);
  return parsed.range() === 'linkLocal' || IDENTITY_ADDRESSES.has(parsed.toString());
}

/** A letter that occurs in no number and no IPv6 address: the library is slow to reject those. */
const NAME_LETTER = /^[^:%]*[g-wyz][^:%]*$/;

/** Parses every spelling that some resolver accepts; an IPv4 address embedded in IPv6 is extracted. */
function parseLoosely(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (NAME_LETTER.test(text)) return undefined;
  const bare = text.replace(/%.*$/, '');
  if (!ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.process(bare);
  if (address instanceof ipaddr.IPv4) return address;
  const isCarrier = hasEmbeddedAddress(address) || ['rfc6052', 'rfc6145'].includes(address.range());
  return isCarrier ? new ipaddr.IPv4(address.toByteArray().slice(12)) : address;
}
