import type { RecentTexts } from './recent-texts.ts';
import { MalformedMessage, WIRE_LEN, type WireCursor } from './wire-cursor.ts';

/** Numbers kept of each header: where name and value begin and end. */
const NUMBERS = 4;
const NAME_START = 0;
const NAME_END = 1;
const VALUE_START = 2;
const VALUE_END = 3;

const HEADERS_AT_FIRST = 64;

/** Tags of a HeaderMap's `headers` and of a HeaderValue's `key` and `raw_value`. */
const ENTRY = (1 << 3) | WIRE_LEN;
const KEY = (1 << 3) | WIRE_LEN;
const RAW_VALUE = (3 << 3) | WIRE_LEN;
/** From here on a length takes two bytes. */
const LONG = 0x80;

/**
 * The headers of one message where they lie in its bytes (envoy.config.core.v3.HeaderMap). Made once per thread and used
 * for one message after another: reading a list allocates nothing, and a text is made only of what is asked for.
 */
export class HeaderList {
  #bytes: Buffer = Buffer.alloc(0);
  #places = new Int32Array(HEADERS_AT_FIRST * NUMBERS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Reads the HeaderMap between the cursor and `end`; adds to what is there, as protobuf merges messages. */
  read(cursor: WireCursor, end: number): void {
    this.#bytes = cursor.bytes;
    while (cursor.at < end) {
      if (this.#readShortHeader(cursor, end)) continue;
      const tag = cursor.readTag(end);
      if (tag !== ENTRY) cursor.skipUnknown(tag, end, 1);
      else this.#readHeader(cursor, cursor.readLength(end));
    }
  }

  /**
   * The form in which Envoy sends nearly every header: `key` and `raw_value`, each length in one byte. False, with nothing
   * read, where the bytes are not of this form.
   */
  #readShortHeader(cursor: WireCursor, end: number): boolean {
    const { bytes, at } = cursor;
    const nameStart = at + 4;
    // Behind the last byte there is nothing, and nothing equals a tag.
    if (bytes[at] !== ENTRY || bytes[at + 2] !== KEY) return false;
    const length = bytes[at + 1] ?? LONG;
    const nameEnd = nameStart + (bytes[at + 3] ?? LONG);
    if (bytes[nameEnd] !== RAW_VALUE) return false;
    const valueStart = nameEnd + 2;
    const valueEnd = valueStart + (bytes[nameEnd + 1] ?? LONG);
    if (length >= LONG || valueEnd !== at + 2 + length || valueEnd > end) return false;
    cursor.at = valueEnd;
    this.#add(nameStart, nameEnd, valueStart, valueEnd);
    return true;
  }

  /** A HeaderValue: `value` is text, `raw_value` bytes; Envoy fills one of them. */
  #readHeader(cursor: WireCursor, length: number): void {
    const end = cursor.at + length;
    let nameStart = 0;
    let nameEnd = 0;
    let textStart = 0;
    let textEnd = 0;
    let rawStart = 0;
    let rawEnd = 0;
    while (cursor.at < end) {
      const tag = cursor.readTag(end);
      if ((tag & 7) !== WIRE_LEN || tag >>> 3 > 3) {
        cursor.skipUnknown(tag, end, 3);
        continue;
      }
      const size = cursor.readLength(end);
      const start = cursor.at;
      cursor.at += size;
      if (tag >>> 3 === 1) {
        nameStart = start;
        nameEnd = cursor.at;
      } else if (tag >>> 3 === 2) {
        textStart = start;
        textEnd = cursor.at;
      } else {
        rawStart = start;
        rawEnd = cursor.at;
      }
    }
    if (cursor.at !== end) throw new MalformedMessage('a header that ends behind its list');
    const isText = textEnd > textStart;
    this.#add(nameStart, nameEnd, isText ? textStart : rawStart, isText ? textEnd : rawEnd);
  }

  #add(nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const at = this.#count * NUMBERS;
    if (at === this.#places.length) this.#grow();
    const places = this.#places;
    places[at + NAME_START] = nameStart;
    places[at + NAME_END] = nameEnd;
    places[at + VALUE_START] = valueStart;
    places[at + VALUE_END] = valueEnd;
    this.#count += 1;
  }

  #grow(): void {
    const wider = new Int32Array(this.#places.length * 2);
    wider.set(this.#places);
    this.#places = wider;
  }

  /** Index of the first header of that name from `from` on, or -1. Letters of either case are the same. */
  find(name: HeaderName, from = 0): number {
    const { lower } = name;
    const { length } = lower;
    for (let index = from; index < this.#count; index++) {
      const at = index * NUMBERS;
      const start = this.#places[at + NAME_START] ?? 0;
      if ((this.#places[at + NAME_END] ?? 0) - start === length && this.#hasName(start, lower)) return index;
    }
    return -1;
  }

  #hasName(start: number, lower: Uint8Array): boolean {
    for (let i = 0; i < lower.length; i++) {
      const byte = this.#bytes[start + i] ?? 0;
      const wanted = lower[i];
      if (byte === wanted) continue;
      // Envoy sends lowercase names; a proxy in between might not.
      if (byte < 65 || byte > 90 || byte + 32 !== wanted) return false;
    }
    return true;
  }

  /** Bytes that are not UTF-8 become U+FFFD and match no configured text. */
  nameAt(index: number): string {
    const at = index * NUMBERS;
    return this.#bytes.toString('utf8', this.#places[at + NAME_START], this.#places[at + NAME_END]);
  }

  valueAt(index: number): string {
    const at = index * NUMBERS;
    return this.#bytes.toString('utf8', this.#places[at + VALUE_START], this.#places[at + VALUE_END]);
  }

  /** What is made of a value's text, or was when it last came. */
  recallAt<T>(index: number, recent: RecentTexts<T>): T {
    return recent.get(this.#bytes, this.valueStart(index), this.valueEnd(index));
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Start and end of a value in `bytes`. */
  valueStart(index: number): number {
    return this.#places[index * NUMBERS + VALUE_START] ?? 0;
  }

  valueEnd(index: number): number {
    return this.#places[index * NUMBERS + VALUE_END] ?? 0;
  }
}

/** A header's name, made ready to be looked for. */
export class HeaderName {
  readonly lower: Uint8Array;

  constructor(name: string) {
    this.lower = Buffer.from(name.toLowerCase());
  }
}
