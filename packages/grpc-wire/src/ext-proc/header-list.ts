import { RecentWords } from '../recent-words.ts';
import type { RecentTexts } from './recent-texts.ts';
import { MalformedMessage, WIRE_LEN, type WireCursor } from './wire-cursor.ts';

/** Numbers stored per header besides the length of its name: start of the name, and start and end of the value. */
const NUMBERS = 3;
const NAME_START = 0;
const VALUE_START = 1;
const VALUE_END = 2;

const HEADERS_AT_FIRST = 64;

/** Tags of a HeaderMap's `headers` and of a HeaderValue's `key` and `raw_value`. */
const ENTRY = (1 << 3) | WIRE_LEN;
const KEY = (1 << 3) | WIRE_LEN;
const RAW_VALUE = (3 << 3) | WIRE_LEN;

/*
 * A header in the short form: ENTRY, length, KEY, length, name, RAW_VALUE, length, value. A one-byte length has its
 * high bit clear.
 */
const SHORT_MIN_BYTES = 6;
const SHORT_HEAD = (ENTRY << 24) | (KEY << 8);
const SHORT_HEAD_MASK = 0xff80ff80 | 0;
const SHORT_MIDDLE = RAW_VALUE << 8;
const SHORT_MIDDLE_MASK = 0xff80;

/**
 * Index of the headers of one message (envoy.config.core.v3.HeaderMap), which stay in its bytes. Created once per
 * thread and reused: reading a list allocates nothing, and only the values that are asked for become strings.
 */
export class HeaderList {
  #bytes: Buffer = Buffer.alloc(0);
  readonly #recentWords = new RecentWords();
  /** The same bytes, for comparisons of four at a time. */
  #words = this.#recentWords.of(this.#bytes);
  /** A separate array, because a lookup scans the lengths first. */
  #nameLengths = new Int32Array(HEADERS_AT_FIRST);
  #places = new Int32Array(HEADERS_AT_FIRST * NUMBERS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Reads the HeaderMap between the cursor and `end`. Appends to the headers already read, as protobuf merges messages. */
  read(cursor: WireCursor, end: number): void {
    this.#bytes = cursor.bytes;
    this.#words = this.#recentWords.of(cursor.bytes);
    while (cursor.at < end) {
      this.#readShortHeaders(cursor, end);
      if (cursor.at >= end) return;
      const tag = cursor.readTag(end);
      if (tag !== ENTRY) cursor.skipUnknown(tag, end, 1);
      else this.#readHeader(cursor, cursor.readLength(end));
    }
  }

  /**
   * Reads headers in the form that Envoy uses for nearly all of them: `key` and `raw_value`, each with a one-byte
   * length. Stops before the first header in another form.
   */
  #readShortHeaders(cursor: WireCursor, end: number): void {
    const words = this.#words;
    let { at } = cursor;
    while (end - at >= SHORT_MIN_BYTES) {
      const head = words.getInt32(at);
      if ((head & SHORT_HEAD_MASK) !== SHORT_HEAD) break;
      const nameStart = at + 4;
      const nameLength = head & 0x7f;
      const valueStart = nameStart + nameLength + 2;
      if (valueStart > end) break;
      const middle = words.getInt16(valueStart - 2);
      if ((middle & SHORT_MIDDLE_MASK) !== SHORT_MIDDLE) break;
      const valueEnd = valueStart + (middle & 0x7f);
      if (valueEnd !== at + 2 + ((head >>> 16) & 0x7f) || valueEnd > end) break;
      this.#add(nameStart, nameLength, valueStart, valueEnd);
      at = valueEnd;
    }
    cursor.at = at;
  }

  /** Reads a HeaderValue. Envoy fills either `value` (text) or `raw_value` (bytes). */
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
    this.#add(nameStart, nameEnd - nameStart, isText ? textStart : rawStart, isText ? textEnd : rawEnd);
  }

  #add(nameStart: number, nameLength: number, valueStart: number, valueEnd: number): void {
    const index = this.#count;
    if (index === this.#nameLengths.length) this.#grow();
    const places = this.#places;
    const at = index * NUMBERS;
    this.#nameLengths[index] = nameLength;
    places[at + NAME_START] = nameStart;
    places[at + VALUE_START] = valueStart;
    places[at + VALUE_END] = valueEnd;
    this.#count = index + 1;
  }

  #grow(): void {
    this.#nameLengths = widen(this.#nameLengths);
    this.#places = widen(this.#places);
  }

  /** Index of the first header with this name from `from` on, or -1. Ignores case. */
  find(name: HeaderName, from = 0): number {
    const { length } = name.lower;
    const lengths = this.#nameLengths;
    const count = this.#count;
    for (let index = from; index < count; index++) {
      if (lengths[index] === length && this.#isNamed(this.#places[index * NUMBERS + NAME_START] ?? 0, name))
        return index;
    }
    return -1;
  }

  #isNamed(start: number, { lower, words }: HeaderName): boolean {
    // Envoy sends lowercase names, but a proxy in between might not.
    if (words === undefined || !this.#hasWords(start, words, lower.length)) return this.#hasLetters(start, lower);
    return true;
  }

  #hasWords(start: number, words: DataView, length: number): boolean {
    const last = length - 4;
    const sent = this.#words;
    for (let n = 0; n < last; n += 4) if (sent.getInt32(start + n) !== words.getInt32(n)) return false;
    return sent.getInt32(start + last) === words.getInt32(last);
  }

  #hasLetters(start: number, lower: Uint8Array): boolean {
    for (let i = 0; i < lower.length; i++) {
      const byte = this.#bytes[start + i] ?? 0;
      const wanted = lower[i];
      if (byte === wanted) continue;
      if (byte < 65 || byte > 90 || byte + 32 !== wanted) return false;
    }
    return true;
  }

  nameLength(index: number): number {
    return this.#nameLengths[index] ?? 0;
  }

  /** Bytes that are not UTF-8 become U+FFFD, which matches no configured text. */
  nameAt(index: number): string {
    const start = this.#places[index * NUMBERS + NAME_START] ?? 0;
    return this.#bytes.toString('utf8', start, start + this.nameLength(index));
  }

  valueAt(index: number): string {
    const at = index * NUMBERS;
    return this.#bytes.toString('utf8', this.#places[at + VALUE_START], this.#places[at + VALUE_END]);
  }

  /** The result derived from a value's text, cached in `recent`. */
  recallAt<T>(index: number, recent: RecentTexts<T>): T {
    return recent.get(this.#bytes, this.#words, this.valueStart(index), this.valueEnd(index));
  }

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Offset of a value in `bytes`. */
  valueStart(index: number): number {
    return this.#places[index * NUMBERS + VALUE_START] ?? 0;
  }

  valueEnd(index: number): number {
    return this.#places[index * NUMBERS + VALUE_END] ?? 0;
  }
}

/** The name of a header, prepared for lookups. */
export class HeaderName {
  readonly lower: Uint8Array;
  /** The bytes as words of four; undefined for names shorter than that. */
  readonly words: DataView | undefined;

  constructor(name: string) {
    const lower = Buffer.from(name.toLowerCase());
    this.lower = lower;
    this.words = lower.length < 4 ? undefined : new DataView(lower.buffer, lower.byteOffset, lower.length);
  }
}

function widen(numbers: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(numbers.length * 2);
  wider.set(numbers);
  return wider;
}
