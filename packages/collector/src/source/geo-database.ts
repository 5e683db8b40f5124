import type { Buffer } from 'node:buffer';
import { RecentMap } from '../recent-map.ts';
import type { Address } from './address.ts';
import { GeoDatabaseError, readValue } from './geo-values.ts';

const MARKER = '\xab\xcd\xefMaxMind.com';
const METADATA_WITHIN = 128 * 1024;
const SEPARATOR_BYTES = 16;
const RECORDS_REMEMBERED = 4096;

/**
 * Finds the record of an address in a MaxMind DB file. The file is an upload of a project's admin, so nothing in it is trusted: a damaged one has no
 * records.
 */
export class GeoDatabase {
  readonly #tree: Buffer;
  readonly #data: Buffer;
  readonly #nodes: number;
  readonly #recordBits: number;
  readonly #v4Root: number;
  readonly #isV6: boolean;
  readonly #records = new RecentMap<number, { readonly value: unknown }>(RECORDS_REMEMBERED);

  /** Throws GeoDatabaseError. Keeps the buffer. */
  constructor(file: Buffer) {
    const metadata = readMetadata(file);
    this.#nodes = numberOf(metadata, 'node_count');
    this.#recordBits = numberOf(metadata, 'record_size');
    if (![24, 28, 32].includes(this.#recordBits)) throw new GeoDatabaseError('records have an unknown size');
    const treeBytes = (this.#nodes * this.#recordBits) / 4;
    if (treeBytes + SEPARATOR_BYTES > file.length) throw new GeoDatabaseError('the search tree ends too early');
    this.#tree = file.subarray(0, treeBytes);
    this.#data = file.subarray(treeBytes + SEPARATOR_BYTES);
    this.#isV6 = numberOf(metadata, 'ip_version') === 6;
    this.#v4Root = this.#isV6 ? this.#descend(0, 96, () => 0) : 0;
  }

  /** The record, as maps, arrays, texts and numbers; undefined if there is none, or none that can be read. */
  find(address: Address): unknown {
    const leaf =
      address.family === 4
        ? this.#descend(this.#v4Root, 32, (depth) => (address.value / 2 ** (31 - depth)) & 1)
        : this.#isV6
          ? this.#descend(0, 128, (depth) => Number((address.value >> BigInt(127 - depth)) & 1n))
          : this.#nodes;
    return leaf <= this.#nodes ? undefined : this.#read(leaf - this.#nodes - SEPARATOR_BYTES);
  }

  #descend(root: number, bits: number, bitAt: (depth: number) => number): number {
    let node = root;
    for (let depth = 0; depth < bits && node < this.#nodes; depth += 1) node = this.#child(node, bitAt(depth));
    return node;
  }

  #child(node: number, side: number): number {
    const bytes = this.#recordBits / 4;
    const at = node * bytes;
    if (this.#recordBits === 24) return this.#tree.readUIntBE(at + side * 3, 3);
    if (this.#recordBits === 32) return this.#tree.readUInt32BE(at + side * 4);
    const middle = this.#tree.readUInt8(at + 3);
    return side === 0
      ? (middle >> 4) * 2 ** 24 + this.#tree.readUIntBE(at, 3)
      : (middle & 0xf) * 2 ** 24 + this.#tree.readUIntBE(at + 4, 3);
  }

  #read(offset: number): unknown {
    const known = this.#records.get(offset);
    if (known !== undefined) return known.value;
    const value = readOrUndefined(this.#data, offset);
    this.#records.set(offset, { value });
    return value;
  }
}

function readOrUndefined(data: Buffer, offset: number): unknown {
  try {
    return readValue(data, offset);
  } catch {
    return undefined;
  }
}

function readMetadata(file: Buffer): ReadonlyMap<unknown, unknown> {
  const tail = file.subarray(Math.max(0, file.length - METADATA_WITHIN));
  const at = tail.lastIndexOf(MARKER, undefined, 'latin1');
  if (at < 0) throw new GeoDatabaseError('the file has no metadata');
  const metadata = readValue(tail.subarray(at + MARKER.length), 0);
  if (!(metadata instanceof Map)) throw new GeoDatabaseError('the metadata are no map');
  return metadata;
}

function numberOf(metadata: ReadonlyMap<unknown, unknown>, name: string): number {
  const value = metadata.get(name);
  if (typeof value !== 'number' || value < 1) throw new GeoDatabaseError(`the metadata have no ${name}`);
  return value;
}

/** The value at a path of names; undefined if there is none. */
export function memberOf(record: unknown, ...names: readonly string[]): unknown {
  let value = record;
  for (const name of names) value = value instanceof Map ? value.get(name) : undefined;
  return value;
}
