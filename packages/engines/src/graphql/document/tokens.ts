/** Kinds of tokens. The kind of a punctuator is its byte (`...` has that of the dot). */
export const END = 0;
/** No token can begin here, or the token is malformed. No rule of the grammar accepts it. */
export const INVALID = 1;
export const NAME = 2;
export const NUMBER = 3;
/** Includes block strings. */
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
 * Represents an unpaired surrogate, which can only come from a JSON escape. The byte does not occur in UTF-8, and the
 * grammar does not allow such a character outside strings.
 */
export const LONE_SURROGATE = 0xff;

/** Classes of bytes that can begin a token. */
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

/** 1 for a byte that ends the plain run of a string. */
export const STRING_STOP = classify([[1, [...eachByte('"\\\n\r\0'), LONE_SURROGATE]]]);

/** 1 for a byte that ends the plain run of a block string. */
export const BLOCK_STRING_STOP = classify([[1, [...eachByte('"\\\0'), LONE_SURROGATE]]]);

/** 1 for a byte that may end a comment. */
export const COMMENT_STOP = classify([[1, [...eachByte('\n\r\0'), LONE_SURROGATE]]]);
