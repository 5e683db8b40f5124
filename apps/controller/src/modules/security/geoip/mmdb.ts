import { Buffer } from 'node:buffer';
import type { GeoipKind } from '@flotilla/contract';

/** The metadata at the end of a MaxMind DB file, version 2.0. */
export interface MmdbMetadata {
  readonly databaseType: string;
  readonly builtAt: Date;
  readonly nodeCount: number;
  /** Size of a record of the search tree, in bits. */
  readonly recordSize: number;
}

/** Has a readable message. */
export class MmdbError extends Error {}

const MARKER = Buffer.concat([Buffer.from([0xab, 0xcd, 0xef]), Buffer.from('MaxMind.com')]);
/** The metadata start within this many bytes of the end (MaxMind DB File Format Specification 2.0). */
export const METADATA_WITHIN = 128 * 1024;
/** Zero bytes between the search tree and the data. */
export const SEPARATOR_BYTES = 16;
const MAP_ENTRIES_MAX = 256;
const DEPTH_MAX = 8;

/** Reads the metadata from the last bytes of a file. Throws MmdbError. */
export function readMetadata(tail: Buffer): MmdbMetadata {
  const at = tail.lastIndexOf(MARKER);
  if (at < 0) throw new MmdbError('its end has no metadata of the MaxMind format');
  const metadata = new Decoder(tail.subarray(at + MARKER.length)).read(0);
  if (!(metadata instanceof Map)) throw new MmdbError('its metadata are no map');
  const major = metadata.get('binary_format_major_version');
  if (major !== 2) throw new MmdbError('its format is not of version 2');
  const databaseType = metadata.get('database_type');
  if (typeof databaseType !== 'string' || !/^[ -~]{1,128}$/.test(databaseType))
    throw new MmdbError('it does not say what it holds');
  const recordSize = takeNumber(metadata, 'record_size');
  if (![24, 28, 32].includes(recordSize)) throw new MmdbError('its records have an unknown size');
  const nodeCount = takeNumber(metadata, 'node_count');
  if (nodeCount < 1) throw new MmdbError('its search tree is empty');
  const seconds = takeNumber(metadata, 'build_epoch');
  const builtAt = new Date(seconds * 1000);
  if (Number.isNaN(builtAt.getTime())) throw new MmdbError('it was built at no time');
  return { databaseType, builtAt, nodeCount, recordSize };
}

/** Size of the search tree in bytes. */
export function treeBytes({ nodeCount, recordSize }: MmdbMetadata): number {
  return (nodeCount * recordSize * 2) / 8;
}

/** Throws MmdbError if the file does not contain the wanted kind. */
export function requireKind(kind: GeoipKind, { databaseType }: MmdbMetadata): void {
  const words = databaseType.toLowerCase().split(/[^a-z0-9]+/);
  const fits = kind === 'city' ? words.includes('city') || words.includes('enterprise') : words.includes('asn');
  if (!fits) throw new MmdbError(`it calls itself ${databaseType}`);
}

function takeNumber(metadata: ReadonlyMap<string, unknown>, name: string): number {
  const value = metadata.get(name);
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new MmdbError(`its metadata have no ${name}`);
  return value;
}

/** The types of the data section that metadata use. */
const [EXTENDED, STRING, DOUBLE, UINT16, UINT32, MAP] = [0, 2, 3, 5, 6, 7];
/** The offset of a size that follows in this many bytes. */
const SIZE_FROM: readonly number[] = [0, 29, 285, 65_821];
const [INT32, UINT64, ARRAY, BOOLEAN] = [8, 9, 11, 14];

class Decoder {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(depth: number): unknown {
    if (depth > DEPTH_MAX) throw new MmdbError('its metadata are too deep');
    const control = this.#byte();
    const short = control >> 5;
    const type = short === EXTENDED ? this.#byte() + 7 : short;
    const size = this.#size(control & 0x1f);
    switch (type) {
      case STRING:
        return this.#take(size).toString('utf8');
      case UINT16:
      case UINT32:
      case INT32:
      case UINT64:
        return this.#integer(size);
      case DOUBLE:
        return this.#take(8).readDoubleBE(0);
      case BOOLEAN:
        return size === 1;
      case MAP:
        return this.#map(size, depth);
      case ARRAY:
        return Array.from({ length: this.#few(size) }, () => this.read(depth + 1));
      default:
        throw new MmdbError('its metadata cannot be read');
    }
  }

  #map(size: number, depth: number): ReadonlyMap<string, unknown> {
    const map = new Map<string, unknown>();
    for (let left = this.#few(size); left > 0; left -= 1) {
      const key = this.read(depth + 1);
      if (typeof key !== 'string') throw new MmdbError('its metadata cannot be read');
      map.set(key, this.read(depth + 1));
    }
    return map;
  }

  #few(size: number): number {
    if (size > MAP_ENTRIES_MAX) throw new MmdbError('its metadata are too long');
    return size;
  }

  #integer(size: number): number {
    if (size > 8) throw new MmdbError('its metadata cannot be read');
    let value = 0;
    for (const byte of this.#take(size)) value = value * 256 + byte;
    return value;
  }

  #size(short: number): number {
    if (short < 29) return short;
    const bytes = this.#take(short - 28);
    const more = bytes.readUIntBE(0, bytes.length);
    return more + (SIZE_FROM[bytes.length] ?? 0);
  }

  #byte(): number {
    return this.#take(1).readUInt8(0);
  }

  #take(size: number): Buffer {
    if (this.#at + size > this.#bytes.length) throw new MmdbError('its metadata end too early');
    const taken = this.#bytes.subarray(this.#at, this.#at + size);
    this.#at += size;
    return taken;
  }
}
