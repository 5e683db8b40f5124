import { hexValue } from '@flotilla/kit';
import { type Edit, rewrite } from './path-codes.ts';
import { Utf8Decoder } from './path-utf8.ts';

/** How a program decodes escapes. `lenient`: also `%uHHHH`, and overlong ASCII (which UTF-8 forbids). */
export type Decoding = 'strict' | 'keep slashes' | 'lenient';

/** Sequences that only a lenient decoder reads as ASCII. */
export const LENIENT_ESCAPE = /%(?:u00|c[01]|e0)/i;

const PERCENT = 37;
const SLASH = 47;
const BACKSLASH = 92;
const LETTER_U = 117;

/** Decodes every well-formed escape once, as UTF-8; others stay unchanged. */
export function decodeOnce(text: string, decoding: Decoding): string {
  return text.includes('%') ? rewrite(text, EDITS[decoding]) : text;
}

const EDITS: Readonly<Record<Decoding, Edit>> = {
  strict: (codes, length) => decode(codes, length, 'strict'),
  'keep slashes': (codes, length) => decode(codes, length, 'keep slashes'),
  lenient: (codes, length) => decode(codes, length, 'lenient'),
};

/** Written by hand, so that a path of escapes takes linear time. */
function decode(codes: Uint16Array, length: number, decoding: Decoding): number {
  const keepSlashes = decoding === 'keep slashes';
  const isLenient = decoding === 'lenient';
  let size = 0;
  for (let at = 0; at < length; ) {
    const code = codes[at] as number;
    const byte = code === PERCENT && at + 3 <= length ? readHex(codes, at + 1, at + 3) : -1;
    if (byte >= 0x80) {
      UTF8.begin(codes, size);
      at = isLenient ? pushLenientRun(codes, at, length) : pushRun(codes, at, length);
      UTF8.end();
      ({ size } = UTF8);
      continue;
    }
    if (byte !== -1 && !(keepSlashes && (byte === SLASH || byte === BACKSLASH))) {
      codes[size++] = byte;
      at += 3;
      continue;
    }
    const unit = isLenient && code === PERCENT ? readUnicodeEscape(codes, at, length) : -1;
    codes[size++] = unit === -1 ? code : unit;
    at += unit === -1 ? 1 : 6;
  }
  return size;
}

const UTF8 = new Utf8Decoder();

/** Decodes consecutive escapes of non-ASCII bytes; returns their end. */
function pushRun(codes: Uint16Array, from: number, length: number): number {
  let at = from;
  for (let byte = readHighByte(codes, at, length); byte !== -1; byte = readHighByte(codes, at, length)) {
    UTF8.push(byte);
    at += 3;
  }
  return at;
}

/** The same, but decodes ASCII characters in two or three bytes (forbidden by RFC 3629 section 3). */
function pushLenientRun(codes: Uint16Array, from: number, length: number): number {
  let at = from;
  for (let byte = readHighByte(codes, at, length); byte !== -1; byte = readHighByte(codes, at, length)) {
    const second = byte === 0xc0 || byte === 0xc1 || byte === 0xe0 ? readHighByte(codes, at + 3, length) : -1;
    const third = byte === 0xe0 && (second === 0x80 || second === 0x81) ? readHighByte(codes, at + 6, length) : -1;
    if (third >> 6 === 2) {
      UTF8.push(((second & 1) << 6) | (third & 0x3f));
      at += 9;
    } else if (byte !== 0xe0 && second >> 6 === 2) {
      UTF8.push(((byte & 1) << 6) | (second & 0x3f));
      at += 6;
    } else {
      UTF8.push(byte);
      at += 3;
    }
  }
  return at;
}

/** The non-ASCII byte of the escape at `at`, or -1. */
function readHighByte(codes: Uint16Array, at: number, length: number): number {
  if (at + 3 > length || codes[at] !== PERCENT) return -1;
  const byte = readHex(codes, at + 1, at + 3);
  return byte >= 0x80 ? byte : -1;
}

/** The character of `%u0041`, which is not standardized, or -1. */
function readUnicodeEscape(codes: Uint16Array, at: number, length: number): number {
  if (at + 6 > length || ((codes[at + 1] as number) | 32) !== LETTER_U) return -1;
  return readHex(codes, at + 2, at + 6);
}

/** The number of a range of hexadecimal digits, or -1. */
function readHex(codes: Uint16Array, from: number, end: number): number {
  let value = 0;
  for (let at = from; at < end; at++) {
    const digit = hexValue(codes[at] as number);
    if (digit === -1) return -1;
    value = value * 16 + digit;
  }
  return value;
}
