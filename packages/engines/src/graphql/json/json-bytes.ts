import { LONE_SURROGATE } from '../document/tokens.ts';

export const QUOTE = 34;
export const APOSTROPHE = 39;
export const COMMA = 44;
export const COLON = 58;
export const SEMICOLON = 59;
export const EQUALS = 61;
export const GREATER = 62;
export const BRACKET_L = 91;
export const BACKSLASH = 92;
export const BRACKET_R = 93;
export const BRACE_L = 123;
export const BRACE_R = 125;
export const PAREN_L = 40;
export const PAREN_R = 41;
export const SLASH = 47;
export const STAR = 42;
export const HASH = 35;

/** Classes of bytes in unquoted words: 1 ends the word, 2 may begin a comment, 3 is a parenthesis. */
export const WORD_CLASS = new Uint8Array(256);
for (const end of ',:;={}[]') WORD_CLASS[end.charCodeAt(0)] = 1;
WORD_CLASS[SLASH] = 2;
WORD_CLASS[HASH] = 2;
WORD_CLASS[PAREN_L] = 3;
WORD_CLASS[PAREN_R] = 3;

/** Bytes in a string that parsers interpret differently. */
const ODD_BYTES = [LONE_SURROGATE, 0xc0, 0xc1, 0xe0];

/** Bytes that end the plain run of a string: 1 for those with a fixed meaning, 2 for odd ones. */
export const STRING_STOP = new Uint8Array(256);
for (const byte of [QUOTE, APOSTROPHE, BACKSLASH]) STRING_STOP[byte] = 1;
for (const byte of ODD_BYTES) STRING_STOP[byte] = 2;

export function isLineSeparator(bytes: Buffer, at: number): boolean {
  return bytes[at] === 0xe2 && bytes[at + 1] === 0x80 && (bytes[at + 2] === 0xa8 || bytes[at + 2] === 0xa9);
}

/** Size in bytes of a non-ASCII white space character at `at`, or 0. */
export function unicodeSpaceSize(bytes: Buffer, at: number): number {
  const second = bytes[at + 1] as number;
  const third = bytes[at + 2] as number;
  switch (bytes[at]) {
    case 0xc2: // U+0085, U+00A0
      return second === 0x85 || second === 0xa0 ? 2 : 0;
    case 0xe1: // U+1680, U+180E
      return (second === 0x9a && third === 0x80) || (second === 0xa0 && third === 0x8e) ? 3 : 0;
    case 0xe2: // U+2000 to U+200B, U+2028, U+2029, U+202F, U+205F, U+2060
      if (second === 0x81) return third === 0x9f || third === 0xa0 ? 3 : 0;
      if (second !== 0x80) return 0;
      return (third >= 0x80 && third <= 0x8b) || third === 0xa8 || third === 0xa9 || third === 0xaf ? 3 : 0;
    case 0xe3: // U+3000
      return second === 0x80 && third === 0x80 ? 3 : 0;
    case 0xef: // U+FEFF
      return second === 0xbb && third === 0xbf ? 3 : 0;
    default:
      return 0;
  }
}
