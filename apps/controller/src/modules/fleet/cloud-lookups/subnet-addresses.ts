import ipaddr from 'ipaddr.js';

/** Addresses as text, as the cloud writes them. */
export interface SubnetSpace {
  readonly cidr: string;
  readonly gateway: string | null;
  readonly pools: readonly { readonly start: string; readonly end: string }[];
  /** Addresses of ports, in any order and more than once; those outside the subnet do not count. */
  readonly used: readonly string[];
}

export interface SubnetUse {
  /** In ascending order, at most `max`. */
  readonly available: readonly string[];
  readonly totalAvailable: number;
  /** In ascending order. */
  readonly used: readonly string[];
}

interface Range {
  readonly start: bigint;
  readonly end: bigint;
}

/**
 * The free addresses of a subnet: those in its allocation pools that no port uses and that are not its gateway. Throws an
 * error that names what is not an address of the subnet's family.
 */
export function computeUse({ cidr, gateway, pools, used }: SubnetSpace, max: number): SubnetUse {
  const [network, bits] = ipaddr.parseCIDR(cidr);
  const kind = network.kind();
  const toNumber = (text: string) => toBigInt(parseOf(kind, text));
  const inUse = new Map<bigint, string>();
  for (const text of used) {
    const address = ipaddr.parse(text);
    if (address.kind() === kind && address.match(network, bits)) inUse.set(toBigInt(address), address.toString());
  }
  const taken = new Set(inUse.keys());
  if (gateway !== null) taken.add(toNumber(gateway));
  const ranges = mergeRanges(pools.map(({ start, end }) => ({ start: toNumber(start), end: toNumber(end) })));
  const size = ranges.reduce((sum, { start, end }) => sum + (end - start + 1n), 0n);
  const takenHere = [...taken].filter((one) => ranges.some(({ start, end }) => one >= start && one <= end)).length;
  return {
    available: listFree(ranges, taken, max).map((value) => toText(value, network)),
    totalAvailable: Number(size - BigInt(takenHere)),
    used: [...inUse].toSorted(([a], [b]) => compare(a, b)).map(([, text]) => text),
  };
}

function parseOf(kind: string, text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  const address = ipaddr.parse(text);
  if (address.kind() !== kind) throw new Error(`${text} is not an ${kind} address`);
  return address;
}

/** In ascending order and without overlaps. Reversed ranges are empty. */
function mergeRanges(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const next of ranges.filter(({ start, end }) => start <= end).toSorted((a, b) => compare(a.start, b.start))) {
    const last = merged.at(-1);
    if (last && next.start <= last.end + 1n)
      merged[merged.length - 1] = { start: last.start, end: compare(next.end, last.end) > 0 ? next.end : last.end };
    else merged.push(next);
  }
  return merged;
}

function listFree(ranges: readonly Range[], taken: ReadonlySet<bigint>, max: number): bigint[] {
  const free: bigint[] = [];
  for (const { start, end } of ranges)
    for (let one = start; one <= end; one += 1n) {
      if (free.length === max) return free;
      if (!taken.has(one)) free.push(one);
    }
  return free;
}

function toBigInt(address: ipaddr.IPv4 | ipaddr.IPv6): bigint {
  return address.toByteArray().reduce((value, byte) => value * 256n + BigInt(byte), 0n);
}

function toText(value: bigint, like: ipaddr.IPv4 | ipaddr.IPv6): string {
  const bytes = like.toByteArray().map((_, i, all) => Number((value >> BigInt(8 * (all.length - 1 - i))) & 255n));
  return ipaddr.fromByteArray(bytes).toString();
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
