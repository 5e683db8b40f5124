/** An address as a number: below 2^32 for IPv4. IPv6 addresses that stand for IPv4 ones (`::ffff:192.0.2.1`) are IPv4. */
export type Address = { readonly family: 4; readonly value: number } | { readonly family: 6; readonly value: bigint };

const ADDRESS_CHARACTERS_MAX = 64;
const MAPPED = 0xffffn << 32n;

/** Undefined for what is no address: a socket path, a name, an empty text. Zones (`%eth0`) are ignored. */
export function parseAddress(text: string): Address | undefined {
  if (text.length === 0 || text.length > ADDRESS_CHARACTERS_MAX) return undefined;
  if (!text.includes(':')) {
    const value = parseV4(text);
    return value === undefined ? undefined : { family: 4, value };
  }
  const value = parseV6(text);
  if (value === undefined) return undefined;
  return value >> 32n === MAPPED >> 32n ? { family: 4, value: Number(value & 0xffffffffn) } : { family: 6, value };
}

/** Four decimal numbers without leading zeros: programs read other notations differently. */
function parseV4(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0;
  for (const part of parts) {
    if (!/^(?:0|[1-9]\d{0,2})$/.test(part) || Number(part) > 255) return undefined;
    value = value * 256 + Number(part);
  }
  return value;
}

function parseV6(text: string): bigint | undefined {
  const [bare = ''] = text.split('%');
  const halves = bare.split('::');
  if (halves.length > 2) return undefined;
  const head = groupsOf(halves[0] ?? '');
  const tail = halves.length === 2 ? groupsOf(halves[1] ?? '') : [];
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  let value = 0n;
  for (const group of [...head, ...new Array<number>(Math.max(0, missing)).fill(0), ...tail]) {
    value = (value << 16n) | BigInt(group);
  }
  return value;
}

function groupsOf(text: string): number[] | undefined {
  if (text === '') return [];
  const groups: number[] = [];
  const parts = text.split(':');
  for (const [index, part] of parts.entries()) {
    if (/^[0-9a-f]{1,4}$/i.test(part)) {
      groups.push(Number.parseInt(part, 16));
      continue;
    }
    const embedded = index === parts.length - 1 ? parseV4(part) : undefined;
    if (embedded === undefined) return undefined;
    groups.push(Math.floor(embedded / 65_536), embedded % 65_536);
  }
  return groups;
}

/** Addresses of loopback, private, link-local and shared networks. */
export function isInternal(address: Address): boolean {
  if (address.family === 6) {
    const high = Number(address.value >> 112n);
    return address.value <= 1n || (high & 0xfe00) === 0xfc00 || (high & 0xffc0) === 0xfe80;
  }
  const first = Math.floor(address.value / 2 ** 24);
  const second = Math.floor(address.value / 2 ** 16) % 256;
  return (
    first === 0 ||
    first === 10 ||
    first === 127 ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 169 && second === 254) ||
    (first === 100 && second >= 64 && second < 128)
  );
}

/** One customer has a /64 network of IPv6, so all its addresses have one key. */
export function sourceKeyOf(address: Address): string {
  return address.family === 4 ? address.value.toString(36) : `6${(address.value >> 64n).toString(36)}`;
}
