/** The bytes are not a valid message of the expected type. */
export class MalformedMessage extends Error {
  constructor(what: string) {
    super(`malformed message: ${what}`);
    this.name = 'MalformedMessage';
  }
}

/** Protobuf wire types (protobuf encoding guide). */
export const WIRE_VARINT = 0;
const WIRE_I64 = 1;
export const WIRE_LEN = 2;
const WIRE_START_GROUP = 3;
const WIRE_END_GROUP = 4;
const WIRE_I32 = 5;

/** Limit for nested groups, which no known sender nests deeper. */
const GROUP_DEPTH_MAX = 32;

/**
 * Walks over protobuf fields in place. `at` moves; nothing is copied. Throws for fields that run past their end,
 * varints of more than ten bytes, field number 0 and unknown wire types.
 */
export class WireCursor {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;

  /** Reads the tag of the next field: number << 3 | wire type. */
  readTag(end: number): number {
    const first = this.bytes[this.at];
    let tag: number;
    if (first !== undefined && first < 0x80 && this.at < end) {
      this.at += 1;
      tag = first;
    } else tag = this.#readVarint(end);
    if (tag >>> 3 === 0) throw new MalformedMessage('field number 0');
    return tag;
  }

  /** Reads the length of a length-delimited field. The field ends at `at + length`, which is not past `end`. */
  readLength(end: number): number {
    const first = this.bytes[this.at];
    let length: number;
    if (first !== undefined && first < 0x80 && this.at < end) {
      this.at += 1;
      length = first;
    } else length = this.#readVarint(end);
    if (length > end - this.at) throw new MalformedMessage('a field that ends behind its message');
    return length;
  }

  readBool(end: number): boolean {
    const start = this.at;
    this.#skipVarint(end);
    for (let i = start; i < this.at; i++) if (((this.bytes[i] ?? 0) & 0x7f) !== 0) return true;
    return false;
  }

  /**
   * Skips a field whose number is above `knownMax`. Rejects a known number with the wrong wire type: some readers would
   * use its bytes and others would not.
   */
  skipUnknown(tag: number, end: number, knownMax: number): void {
    if (tag >>> 3 <= knownMax) throw new MalformedMessage('a field of another wire type than its own');
    this.skip(tag, end);
  }

  /** Skips the value of a field after its tag was read. */
  skip(tag: number, end: number, depth = 0): void {
    const type = tag & 7;
    if (type === WIRE_VARINT) this.#skipVarint(end);
    else if (type === WIRE_LEN) this.#advance(this.readLength(end), end);
    else if (type === WIRE_I64) this.#advance(8, end);
    else if (type === WIRE_I32) this.#advance(4, end);
    else if (type === WIRE_START_GROUP) this.#skipGroup(tag >>> 3, end, depth);
    else throw new MalformedMessage(`wire type ${type}`);
  }

  #skipGroup(number: number, end: number, depth: number): void {
    if (depth >= GROUP_DEPTH_MAX) throw new MalformedMessage('groups nested too deep');
    for (;;) {
      const tag = this.readTag(end);
      if ((tag & 7) === WIRE_END_GROUP) {
        if (tag >>> 3 !== number) throw new MalformedMessage('a group that another one ends');
        return;
      }
      this.skip(tag, end, depth + 1);
    }
  }

  #advance(count: number, end: number): void {
    if (count > end - this.at) throw new MalformedMessage('a field that ends behind its message');
    this.at += count;
  }

  /** Returns the low 32 bits, unsigned. A length that does not fit in 32 bits cannot fit in a message either. */
  #readVarint(end: number): number {
    let value = 0;
    for (let shift = 0; shift < 70; shift += 7) {
      if (this.at >= end) break;
      const byte = this.bytes[this.at] ?? 0;
      this.at += 1;
      if (shift < 28) value |= (byte & 0x7f) << shift;
      else if (shift === 28) {
        value = (value | ((byte & 0x0f) << 28)) >>> 0;
        if ((byte & 0x70) !== 0) throw new MalformedMessage('a number out of range');
      } else if ((byte & 0x7f) !== 0) throw new MalformedMessage('a number out of range');
      if (byte < 0x80) return value;
    }
    throw new MalformedMessage('a number that does not end');
  }

  #skipVarint(end: number): void {
    for (let count = 0; count < 10 && this.at < end; count++) {
      const byte = this.bytes[this.at] ?? 0;
      this.at += 1;
      if (byte < 0x80) return;
    }
    throw new MalformedMessage('a number that does not end');
  }
}
