import type { Buffer } from 'node:buffer';

/** The file is damaged, or made to harm its reader. */
export class GeoDatabaseError extends Error {}

const [EXTENDED, POINTER, STRING, DOUBLE, BYTES, UINT16, UINT32, MAP, INT32, UINT64, UINT128, ARRAY] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
];
const [BOOLEAN, FLOAT] = [14, 15];
const SIZE_FROM: readonly number[] = [0, 29, 285, 65_821];
const POINTER_FROM: readonly number[] = [0, 2048, 526_336, 0];
const DEPTH_MAX = 12;
const VALUES_MAX = 2000;

/**
 * Reads one record of the data section (MaxMind DB File Format Specification 2.0). A record has at most `VALUES_MAX` values and `DEPTH_MAX` levels, so a
 * file with pointers in a circle or a huge array costs no more than another one.
 */
export function readValue(data: Buffer, offset: number): unknown {
  return new ValueReader(data, offset).read(0);
}

class ValueReader {
  readonly #data: Buffer;
  #at: number;
  #values = 0;

  constructor(data: Buffer, offset: number) {
    this.#data = data;
    this.#at = offset;
  }

  read(depth: number): unknown {
    this.#values += 1;
    if (depth > DEPTH_MAX || this.#values > VALUES_MAX) throw new GeoDatabaseError('a record is too large');
    const control = this.#byte();
    const short = control >> 5;
    if (short === POINTER) return this.#follow(control, depth);
    const type = short === EXTENDED ? this.#byte() + 7 : short;
    const size = this.#size(control & 0x1f);
    switch (type) {
      case STRING:
        return this.#take(size).toString('utf8');
      case UINT16:
      case UINT32:
      case INT32:
      case UINT64:
        return size === 0 ? 0 : this.#take(Math.min(size, 6)).readUIntBE(0, Math.min(size, 6));
      case DOUBLE:
      case BYTES:
      case UINT128:
      case FLOAT:
        this.#take(size);
        return undefined;
      case BOOLEAN:
        return size === 1;
      case MAP:
        return this.#map(size, depth);
      case ARRAY:
        return this.#array(size, depth);
      default:
        throw new GeoDatabaseError('a record has an unknown type');
    }
  }

  /** A pointer to a pointer is not allowed. */
  #follow(control: number, depth: number): unknown {
    const bytes = ((control >> 3) & 3) + 1;
    const low = this.#take(bytes).readUIntBE(0, bytes);
    const high = bytes === 4 ? 0 : (control & 7) * 256 ** bytes;
    const back = this.#at;
    this.#at = low + high + (POINTER_FROM[bytes - 1] ?? 0);
    if ((this.#data[this.#at] ?? 0) >> 5 === POINTER) throw new GeoDatabaseError('a pointer leads to a pointer');
    const value = this.read(depth + 1);
    this.#at = back;
    return value;
  }

  #map(size: number, depth: number): ReadonlyMap<unknown, unknown> {
    const map = new Map<unknown, unknown>();
    for (let left = size; left > 0; left -= 1) {
      const key = this.read(depth + 1);
      map.set(key, this.read(depth + 1));
    }
    return map;
  }

  #array(size: number, depth: number): unknown[] {
    const values: unknown[] = [];
    for (let left = size; left > 0; left -= 1) values.push(this.read(depth + 1));
    return values;
  }

  #size(short: number): number {
    if (short < 29) return short;
    const bytes = this.#take(short - 28);
    return bytes.readUIntBE(0, bytes.length) + (SIZE_FROM[bytes.length] ?? 0);
  }

  #byte(): number {
    return this.#take(1).readUInt8(0);
  }

  #take(size: number): Buffer {
    if (this.#at + size > this.#data.length) throw new GeoDatabaseError('a record ends too early');
    const taken = this.#data.subarray(this.#at, this.#at + size);
    this.#at += size;
    return taken;
  }
}
