import { hexValue } from '@flotilla/kit';
import type { DocumentSource } from '../document/document-source.ts';
import { LONE_SURROGATE } from '../document/tokens.ts';

const BACKSLASH = 92;
const REPLACEMENT = 0xfffd;

/**
 * How to read string escapes on which parsers differ.
 *
 * `named`: as JSON5 and similar parsers read escapes that JSON does not have (`\x41`, `\v`, `\0`, a line end after the
 * backslash continues the line); a `\u` without four digits is a replacement character.
 *
 * `bare`: the backslash of such an escape is dropped and the character stays. Also, an overlong UTF-8 encoding yields
 * its character, as in Jackson; therefore an overlong line end ends a comment there and nowhere else.
 */
export type EscapeStyle = 'named' | 'bare';

/** 1 for a byte that every parser reads as itself. */
const PLAIN = new Uint8Array(256).fill(1);
for (const byte of [BACKSLASH, 0xc0, 0xc1, 0xe0, LONE_SURROGATE]) PLAIN[byte] = 0;

export interface EscapedRange {
  readonly start: number;
  readonly end: number;
  readonly style: EscapeStyle;
}

/** The characters of the escapes that every parser reads alike, by the byte after the backslash. */
const SIMPLE_ESCAPES = new Uint8Array(256);
for (const [letter, value] of Object.entries({
  b: 8,
  t: 9,
  n: 10,
  f: 12,
  r: 13,
  '"': 34,
  "'": 39,
  '/': 47,
  '\\': 92,
})) {
  SIMPLE_ESCAPES[letter.charCodeAt(0)] = value;
}

/**
 * Unescapes the string in `bytes[start..end)`, without quotes, into `target`. True if it contains an escape that
 * parsers read differently, so that the other style must be checked too.
 */
// oxlint-disable-next-line max-lines-per-function -- a hot loop over bytes with local counters
export function unescapeJsonText(bytes: Buffer, { start, end, style }: EscapedRange, target: DocumentSource): boolean {
  // No escape is shorter than its result.
  target.reserve(end - start);
  const out = target.bytes;
  const plain = PLAIN;
  let length = 0;
  let isAmbiguous = false;
  for (let at = start; at < end; ) {
    let byte = bytes[at] as number;
    while (at < end && plain[byte] === 1) {
      out[length++] = byte;
      byte = bytes[++at] as number;
    }
    if (at >= end) break;
    if (byte !== BACKSLASH) {
      const size = byte >= 0xc0 ? overlongSize(bytes, at, end) : 0;
      if (size > 0) isAmbiguous = true;
      if (size > 0 && style === 'bare') {
        const high = size === 2 ? byte & 0x1f : (bytes[at + 1] as number) & 0x3f;
        length = writeCodePoint(out, length, (high << 6) | ((bytes[at + size - 1] as number) & 0x3f));
        at += size;
        continue;
      }
      out[length++] = byte === LONE_SURROGATE ? LONE_SURROGATE - 1 : byte;
      at++;
      continue;
    }
    const escaped = at + 1 < end ? (bytes[at + 1] as number) : 0;
    const simple = SIMPLE_ESCAPES[escaped] as number;
    if (simple !== 0) {
      out[length++] = simple;
      at += 2;
      continue;
    }
    const unit = escaped === 117 ? readHex(bytes, at + 2, end, 4) : -1;
    if (unit >= 0) {
      at += 6;
      if (unit < 0x80) {
        out[length++] = unit;
        continue;
      }
      let point = unit;
      if (unit >= 0xd800 && unit <= 0xdbff && bytes[at] === BACKSLASH && bytes[at + 1] === 117) {
        const low = readHex(bytes, at + 2, end, 4);
        if (low >= 0xdc00 && low <= 0xdfff) {
          point = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
          at += 6;
        }
      }
      length = writeCodePoint(out, length, point);
      continue;
    }
    at++;
    const odd = readOddEscape(bytes, at, end);
    // Only the backslash was dropped, so both styles give the same result.
    if (odd.end === at) continue;
    isAmbiguous = true;
    if (style === 'bare') continue;
    at = odd.end;
    if (odd.point >= 0) length = writeCodePoint(out, length, odd.point);
  }
  target.finish(length);
  return isAmbiguous;
}

/** Size of an overlong character at `at`, otherwise 0. */
function overlongSize(bytes: Buffer, at: number, end: number): number {
  const lead = bytes[at] as number;
  const size = lead === 0xc0 || lead === 0xc1 ? 2 : lead === 0xe0 ? 3 : 0;
  if (size === 0 || at + size > end) return 0;
  for (let i = 1; i < size; i++) if (((bytes[at + i] as number) & 0xc0) !== 0x80) return 0;
  return size === 3 && (bytes[at + 1] as number) >= 0xa0 ? 0 : size;
}

interface OddEscape {
  /** The code point, or -1 for none. */
  readonly point: number;
  /** The offset after it. */
  readonly end: number;
}

/** Reads an escape that JSON does not have, as JSON5 and similar parsers do. `at` is after the backslash. */
function readOddEscape(bytes: Buffer, at: number, end: number): OddEscape {
  if (at >= end) return { point: -1, end: at };
  const byte = bytes[at] as number;
  switch (byte) {
    case 48: // 0
      return { point: 0, end: at + 1 };
    case 118: // v
      return { point: 11, end: at + 1 };
    case 10:
      return { point: -1, end: at + 1 };
    case 13:
      return { point: -1, end: bytes[at + 1] === 10 && at + 1 < end ? at + 2 : at + 1 };
    case 117: // u
      return { point: REPLACEMENT, end: Math.min(at + 5, end) };
    case 120: {
      // x
      const point = readHex(bytes, at + 1, end, 2);
      return point >= 0 ? { point, end: at + 3 } : { point: -1, end: at };
    }
    case 0xe2: {
      // U+2028 and U+2029 are line ends, too.
      const isLineEnd = bytes[at + 1] === 0x80 && (bytes[at + 2] === 0xa8 || bytes[at + 2] === 0xa9) && at + 2 < end;
      return isLineEnd ? { point: -1, end: at + 3 } : { point: -1, end: at };
    }
    default:
      return { point: -1, end: at };
  }
}

/** The number of `count` hexadecimal digits, or -1. */
function readHex(bytes: Buffer, from: number, end: number, count: number): number {
  if (from + count > end) return -1;
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = hexValue(bytes[at] as number);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

/** Writes a character in UTF-8 and returns the offset after it. */
function writeCodePoint(out: Buffer, at: number, point: number): number {
  if (point >= 0xd800 && point <= 0xdfff) {
    out[at] = LONE_SURROGATE;
    return at + 1;
  }
  if (point < 0x80) {
    out[at] = point;
    return at + 1;
  }
  if (point < 0x800) {
    out[at] = 0xc0 | (point >> 6);
    out[at + 1] = 0x80 | (point & 63);
    return at + 2;
  }
  if (point < 0x10000) {
    out[at] = 0xe0 | (point >> 12);
    out[at + 1] = 0x80 | ((point >> 6) & 63);
    out[at + 2] = 0x80 | (point & 63);
    return at + 3;
  }
  out[at] = 0xf0 | (point >> 18);
  out[at + 1] = 0x80 | ((point >> 12) & 63);
  out[at + 2] = 0x80 | ((point >> 6) & 63);
  out[at + 3] = 0x80 | (point & 63);
  return at + 4;
}
