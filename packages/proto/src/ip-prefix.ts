/** An address or a prefix, in the spelling of the kernel. */
export interface IpPrefix {
  readonly family: 4 | 6;
  readonly address: string;
  readonly length: number;
  /** The bits after the length are zero. */
  readonly isNetwork: boolean;
}

const BITS = { 4: 32, 6: 128 } as const;

/** Parses `192.0.2.1`, `192.0.2.0/24`, `2001:db8::1` or `2001:db8::/32`. Undefined for everything else, also for zones. */
export function parseIpPrefix(text: string): IpPrefix | undefined {
  if (text.length > 49) return undefined;
  const [, address = '', lengthText] = /^([0-9A-Fa-f:.]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const bytes = parseIpv4(address) ?? parseIpv6(address);
  if (!bytes) return undefined;
  const family = bytes.length === 4 ? 4 : 6;
  const length = lengthText === undefined ? BITS[family] : Number(lengthText);
  if (length > BITS[family]) return undefined;
  const isNetwork = bytes.every((byte, i) => (byte & (0xff >> Math.min(8, Math.max(0, length - i * 8)))) === 0);
  return { family, address: family === 4 ? bytes.join('.') : formatIpv6(bytes), length, isNetwork };
}

/** Returns the network of an address: the bits after the length are zero. */
export function toNetwork({ family, address, length }: Pick<IpPrefix, 'family' | 'address' | 'length'>): IpPrefix {
  const bytes = (parseIpv4(address) ?? parseIpv6(address) ?? []).map(
    (byte, i) => byte & ~(0xff >> Math.min(8, Math.max(0, length - i * 8))),
  );
  return { family, address: family === 4 ? bytes.join('.') : formatIpv6(bytes), length, isNetwork: true };
}

/** Whether the network contains the address. Both may be of either family. */
export function isInNetwork(address: string, network: Pick<IpPrefix, 'family' | 'address' | 'length'>): boolean {
  const parsed = parseIpPrefix(address);
  if (parsed?.family !== network.family) return false;
  return toNetwork({ ...parsed, length: network.length }).address === toNetwork(network).address;
}

/** As `ip` prints it: `default`, without `/32` and `/128`. */
export function formatIpPrefix({ family, address, length }: Pick<IpPrefix, 'family' | 'address' | 'length'>): string {
  if (length === 0) return 'default';
  return length === BITS[family] ? address : `${address}/${length}`;
}

function parseIpv4(text: string): number[] | undefined {
  if (!/^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte < 256) ? bytes : undefined;
}

function parseIpv6(text: string): number[] | undefined {
  if (!text.includes(':') || text.split('::').length > 2) return undefined;
  const [head = '', tail] = text.split('::');
  const before = parseGroups(head, tail === undefined);
  const after = parseGroups(tail ?? '', true);
  if (!before || !after) return undefined;
  const missing = 16 - before.length - after.length;
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return [...before, ...Array.from({ length: missing }, () => 0), ...after];
}

/** An IPv4 address may be the last group. */
function parseGroups(text: string, isLast: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [i, group] of groups.entries()) {
    const v4 = isLast && i === groups.length - 1 ? parseIpv4(group) : undefined;
    if (v4) bytes.push(...v4);
    else if (/^[0-9A-Fa-f]{1,4}$/.test(group)) {
      const value = Number.parseInt(group, 16);
      bytes.push(value >> 8, value & 0xff);
    } else return undefined;
  }
  return bytes;
}

/** RFC 5952: the longest run of at least two zero groups becomes `::`. */
function formatIpv6(bytes: readonly number[]): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0));
  let best = { start: -1, size: 1 };
  for (let start = 0; start < 8; start += 1) {
    let size = 0;
    while (start + size < 8 && groups[start + size] === 0) size += 1;
    if (size > best.size) best = { start, size };
  }
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (best.start < 0) return hex(groups);
  return `${hex(groups.slice(0, best.start))}::${hex(groups.slice(best.start + best.size))}`;
}
