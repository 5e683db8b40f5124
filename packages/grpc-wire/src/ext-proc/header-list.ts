import { RecentWords } from '../recent-words.ts';
import type { RecentTexts } from './recent-texts.ts';
import { MalformedMessage, WIRE_LEN, type WireCursor } from './wire-cursor.ts';

/** Numbers kept of each header beside the length of its name: where name and value begin, and where the value ends. */
const NUMBERS = 3;
const NAME_START = 0;
const VALUE_START = 1;
const VALUE_END = 2;

const HEADERS_AT_FIRST = 64;

/** Tags of a HeaderMap's `headers` and of a HeaderValue's `key` and `raw_value`. */
const ENTRY = (1 << 3) | WIRE_LEN;
const KEY = (1 << 3) | WIRE_LEN;
const RAW_VALUE = (3 << 3) | WIRE_LEN;

/* A header of the short form: ENTRY, length, KEY, length, name, RAW_VALUE, length, value. A short length has no high bit. */
const SHORT_MIN_BYTES = 6;
const SHORT_HEAD = (ENTRY << 24) | (KEY << 8);
const SHORT_HEAD_MASK = 0xff80ff80 | 0;
const SHORT_MIDDLE = RAW_VALUE << 8;
const SHORT_MIDDLE_MASK = 0xff80;

/**
 * The headers of one message where they lie in its bytes (envoy.config.core.v3.HeaderMap). Made once per thread and used
 * for one message after another: reading a list allocates nothing, and a text is made only of what is asked for.
 */
export class HeaderList {
  #bytes: Buffer = Buffer.alloc(0);
  readonly #recentWords = new RecentWords();
  /** The same bytes, to be compared four at a time. */
  #words = this.#recentWords.of(this.#bytes);
  /** Behind one another, because a name is looked for by its length. */
  #nameLengths = new Int32Array(HEADERS_AT_FIRST);
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
   * Headers in the form in which Envoy sends nearly all of them: `key` and `raw_value`, each length in one byte. Stops in
   * front of the first one that is not of this form.
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

  /** Index of the first header of that name from `from` on, or -1. Letters of either case are the same. */
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
    // Envoy sends lowercase names; a proxy in between might not.
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

  /** Bytes of a name. */
  nameLength(index: number): number {
    return this.#nameLengths[index] ?? 0;
  }

  /** Bytes that are not UTF-8 become U+FFFD and match no configured text. */
  nameAt(index: number): string {
    const start = this.#places[index * NUMBERS + NAME_START] ?? 0;
    return this.#bytes.toString('utf8', start, start + this.nameLength(index));
  }

  valueAt(index: number): string {
    const at = index * NUMBERS;
    return this.#bytes.toString('utf8', this.#places[at + VALUE_START], this.#places[at + VALUE_END]);
  }

  /** What is made of a value's text, or was when it last came. */
  recallAt<T>(index: number, recent: RecentTexts<T>): T {
    return recent.get(this.#bytes, this.#words, this.valueStart(index), this.valueEnd(index));
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
  /** The same four at a time; undefined where there are fewer. */
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
