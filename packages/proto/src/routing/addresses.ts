/** An address in the spelling that FRR prints. */
export interface Address {
  readonly family: Family;
  readonly text: string;
  readonly bits: bigint;
}

export type Family = 'ipv4' | 'ipv6';
export const FAMILIES = ['ipv4', 'ipv6'] as const satisfies readonly Family[];
export const ADDRESS_BITS: Readonly<Record<Family, number>> = { ipv4: 32, ipv6: 128 };

const ADDRESS_MAX = 45;
const OCTET = /^(?:0|[1-9]\d{0,2})$/;

/** Undefined for everything that is not one address, for example one with a zone or a port. */
export function parseIp(text: string): Address | undefined {
  if (text.length > ADDRESS_MAX) return undefined;
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Address | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => OCTET.test(octet) && Number(octet) < 256)) return undefined;
  return { family: 'ipv4', text, bits: octets.reduce((bits, octet) => (bits << 8n) | BigInt(octet), 0n) };
}

/** Refuses IPv4 addresses in IPv6 notation: programs spell them in different ways. */
function parseIpv6(text: string): Address | undefined {
  if (!/^[0-9a-fA-F:]+$/.test(text)) return undefined;
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const given = [...(head ?? []), ...(tail ?? [])];
  if (!given.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return undefined;
  const missing = 8 - given.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...(head ?? []), ...new Array<string>(missing).fill('0'), ...(tail ?? [])];
  const bits = groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
  if (bits > 0xffffn && bits >> 48n === 0n) return undefined;
  return { family: 'ipv6', text: formatIpv6(bits), bits };
}

/** Compresses the first of the longest runs of zeros (RFC 5952). */
function formatIpv6(bits: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bits >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  let best = { at: -1, length: 1 };
  for (let at = 0; at < 8; at += 1) {
    let length = 0;
    while (groups[at + length] === '0') length += 1;
    if (length > best.length) best = { at, length };
  }
  if (best.at === -1) return groups.join(':');
  return `${groups.slice(0, best.at).join(':')}::${groups.slice(best.at + best.length).join(':')}`;
}

/** A network in the spelling that FRR prints. */
export interface Prefix {
  readonly family: Family;
  readonly text: string;
  readonly length: number;
}

/** Undefined unless the text is an address and a length, and every bit after the length is zero. */
export function parsePrefix(text: string): Prefix | undefined {
  const [, host = '', lengthText = ''] = /^([0-9a-fA-F.:]+)\/(\d{1,3})$/.exec(text.slice(0, ADDRESS_MAX + 5)) ?? [];
  const address = parseIp(host);
  const length = Number(lengthText);
  if (!address || lengthText !== String(length)) return undefined;
  const total = ADDRESS_BITS[address.family];
  if (length > total) return undefined;
  const rest = (1n << BigInt(total - length)) - 1n;
  if ((address.bits & rest) !== 0n) return undefined;
  return { family: address.family, text: `${address.text}/${length}`, length };
}
