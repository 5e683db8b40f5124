/** Kinds of tokens. A punctuator's kind is its byte (`...` has that of the dot). */
export const END = 0;
/** No token can begin here, or one that began has no right end. No rule of the grammar accepts it. */
export const INVALID = 1;
export const NAME = 2;
export const NUMBER = 3;
/** Block strings too. */
export const STRING = 4;
export const BANG = 33;
export const DOLLAR = 36;
export const AMP = 38;
export const PAREN_L = 40;
export const PAREN_R = 41;
export const SPREAD = 46;
export const COLON = 58;
export const EQUALS = 61;
export const AT = 64;
export const BRACKET_L = 91;
export const BRACKET_R = 93;
export const BRACE_L = 123;
export const PIPE = 124;
export const BRACE_R = 125;

/**
 * Stands in a document for a surrogate without its other half, which only a JSON escape can bring. UTF-8 has no such
 * byte, and the language no place for such a character.
 */
export const LONE_SURROGATE = 0xff;

/** Classes of bytes at which a token may begin. */
const IGNORED = 1;
export const NAME_START = 2;
const NUMBER_START = 3;
const PUNCTUATOR = 4;
const QUOTE = 5;
const DOT = 6;
const HASH = 7;
/** First byte of the byte order mark, which the language ignores anywhere. */
const MARK_START = 8;

function eachByte(text: string): number[] {
  return [...Buffer.from(text, 'latin1')];
}

const LETTERS = eachByte('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_');
const DIGITS = eachByte('0123456789');

function classify(classes: readonly (readonly [kind: number, bytes: readonly number[]])[]): Uint8Array {
  const table = new Uint8Array(256);
  for (const [kind, bytes] of classes) for (const byte of bytes) table[byte] = kind;
  return table;
}

export const BYTE_CLASS = classify([
  [IGNORED, eachByte('\t\n\r ,')],
  [NAME_START, LETTERS],
  [NUMBER_START, [...DIGITS, ...eachByte('-')]],
  [PUNCTUATOR, eachByte('!$&():=@[]{|}')],
  [QUOTE, eachByte('"')],
  [DOT, eachByte('.')],
  [HASH, eachByte('#')],
  [MARK_START, [0xef]],
]);

/** 1 for a byte that continues a name. */
export const NAME_CONTINUE = classify([[1, [...LETTERS, ...DIGITS]]]);

/** 1 for a byte at which the plain run of a string ends. */
export const STRING_STOP = classify([[1, [...eachByte('"\\\n\r\0'), LONE_SURROGATE]]]);

/** 1 for a byte at which the plain run of a block string ends. */
export const BLOCK_STRING_STOP = classify([[1, [...eachByte('"\\\0'), LONE_SURROGATE]]]);

/** 1 for a byte at which a comment may end. */
export const COMMENT_STOP = classify([[1, [...eachByte('\n\r\0'), LONE_SURROGATE]]]);
