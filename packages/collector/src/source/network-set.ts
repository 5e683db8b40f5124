import { type Address, parseAddress } from './address.ts';

interface Interval<T> {
  readonly first: T;
  readonly last: T;
}

/**
 * A set of addresses: sorted intervals that do not overlap, in typed arrays. A look-up is a binary search; a million networks take 8 MB (IPv4) or
 * 32 MB (IPv6).
 */
export class NetworkSet {
  readonly size: number;
  readonly #v4: { readonly first: Uint32Array; readonly last: Uint32Array };
  readonly #v6: { readonly first: BigUint64Array; readonly last: BigUint64Array };

  private constructor(v4: readonly Interval<number>[], v6: readonly Interval<bigint>[]) {
    this.size = v4.length + v6.length;
    this.#v4 = { first: Uint32Array.from(v4, ({ first }) => first), last: Uint32Array.from(v4, ({ last }) => last) };
    this.#v6 = { first: toHalves(v6.map(({ first }) => first)), last: toHalves(v6.map(({ last }) => last)) };
  }

  /** Texts that are no address and no network are left out. */
  static of(networks: Iterable<string>): NetworkSet {
    const builder = new NetworkSetBuilder();
    for (const network of networks) builder.add(network);
    return builder.build();
  }

  static build(v4: Interval<number>[], v6: Interval<bigint>[]): NetworkSet {
    return new NetworkSet(
      merge(v4, (value) => value + 1),
      merge(v6, (value) => value + 1n),
    );
  }

  has(address: Address): boolean {
    return address.family === 4 ? this.#hasV4(address.value) : this.#hasV6(address.value);
  }

  #hasV4(value: number): boolean {
    const { first, last } = this.#v4;
    const at = lastIndexWhere(first.length, (index) => (first[index] ?? 0) <= value);
    return at >= 0 && value <= (last[at] ?? 0);
  }

  #hasV6(value: bigint): boolean {
    const { first, last } = this.#v6;
    const at = lastIndexWhere(first.length / 2, (index) => valueAt(first, index) <= value);
    return at >= 0 && value <= valueAt(last, at);
  }
}

/** Collects networks that arrive in parts. */
export class NetworkSetBuilder {
  readonly #v4: Interval<number>[] = [];
  readonly #v6: Interval<bigint>[] = [];

  /** `192.0.2.0/24`, or one address. Bits behind the prefix are ignored. False for other texts. */
  add(network: string): boolean {
    const slash = network.indexOf('/');
    const address = parseAddress(slash === -1 ? network : network.slice(0, slash));
    if (address === undefined) return false;
    const width = address.family === 4 ? 32 : 128;
    const prefix = slash === -1 ? width : readPrefix(network.slice(slash + 1));
    if (prefix === undefined || prefix > width) return false;
    if (address.family === 4) {
      const size = 2 ** (32 - prefix);
      const first = address.value - (address.value % size);
      this.#v4.push({ first, last: first + size - 1 });
    } else {
      const mask = (1n << BigInt(128 - prefix)) - 1n;
      const last = address.value | mask;
      this.#v6.push({ first: last ^ mask, last });
    }
    return true;
  }

  build(): NetworkSet {
    return NetworkSet.build(this.#v4, this.#v6);
  }
}

function readPrefix(text: string): number | undefined {
  return /^\d{1,3}$/.test(text) ? Number(text) : undefined;
}

function merge<T extends number | bigint>(intervals: Interval<T>[], next: (value: T) => T): Interval<T>[] {
  intervals.sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
  const merged: { first: T; last: T }[] = [];
  for (const { first, last } of intervals) {
    const previous = merged.at(-1);
    if (previous === undefined || first > next(previous.last)) merged.push({ first, last });
    else if (last > previous.last) previous.last = last;
  }
  return merged;
}

/** The last index that fulfils a condition which holds up to some index; -1 if it holds for none. */
function lastIndexWhere(length: number, holds: (index: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function toHalves(values: readonly bigint[]): BigUint64Array {
  const halves = new BigUint64Array(values.length * 2);
  for (const [index, value] of values.entries()) {
    halves[2 * index] = value >> 64n;
    halves[2 * index + 1] = value & 0xffff_ffff_ffff_ffffn;
  }
  return halves;
}

function valueAt(halves: BigUint64Array, index: number): bigint {
  return ((halves[2 * index] ?? 0n) << 64n) | (halves[2 * index + 1] ?? 0n);
}
