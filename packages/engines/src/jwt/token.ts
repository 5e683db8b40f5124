import { parseStrictJson } from '@flotilla/policy';
import { Base64urlDecoder } from './base64url.ts';

/** A longer header value is refused unread; proxies take headers of 60 KiB in all. */
export const TOKEN_MAX_CHARS = 16_384;

const SCHEME = Buffer.from('bearer');
const SPACE = 32;
/** Set in small letters, and in none of the bytes that would become one by it but the capitals. */
const CASE_BIT = 32;

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The parts of one token in compact form (RFC 7515 section 7.1), read as bytes in place. What an instance answers holds
 * until its next `read`.
 */
export class TokenReader {
  /** Of the token that was read last, as base64url text. */
  header = '';
  readonly #text = Buffer.alloc(TOKEN_MAX_CHARS);
  readonly #objects = new Base64urlDecoder(TOKEN_MAX_CHARS);
  readonly #signatures = new Base64urlDecoder(TOKEN_MAX_CHARS);
  #value = '';
  #start = 0;
  #headerEnd = 0;
  #claimsEnd = 0;

  /**
   * Takes a header value, in which the scheme `Bearer` (any case) may stand before the token. False where that is longer
   * than `TOKEN_MAX_CHARS`, not all ASCII, or not three parts with something in each; nothing else may be asked then.
   */
  read(value: string): boolean {
    // As many bytes of UTF-8 as characters: all of them are ASCII.
    if (this.#text.write(value) !== value.length) return false;
    const start = skipScheme(this.#text, value.length);
    const headerEnd = value.indexOf('.', start);
    const claimsEnd = value.indexOf('.', headerEnd + 1);
    if (headerEnd <= start || claimsEnd <= headerEnd + 1 || claimsEnd === value.length - 1) return false;
    if (value.indexOf('.', claimsEnd + 1) !== -1) return false;
    this.header = value.slice(start, headerEnd);
    this.#value = value;
    this.#start = start;
    this.#headerEnd = headerEnd;
    this.#claimsEnd = claimsEnd;
    return true;
  }

  /** The header's members; undefined where it is no JSON object, or one that readers could understand in two ways. */
  decodeHeader(): JsonObject | undefined {
    return toObject(this.#objects.decode(this.header));
  }

  /** Like `decodeHeader`, of the claims. */
  decodeClaims(): JsonObject | undefined {
    return toObject(this.#objects.decode(this.#value.slice(this.#headerEnd + 1, this.#claimsEnd)));
  }

  /** Undefined where it is not base64url in its one spelling. */
  decodeSignature(): Buffer | undefined {
    return this.#signatures.decode(this.#value.slice(this.#claimsEnd + 1));
  }

  /** What is signed: header, dot, claims, as they are written. */
  get signed(): Buffer {
    return this.#text.subarray(this.#start, this.#claimsEnd);
  }
}

function toObject(bytes: Buffer | undefined): JsonObject | undefined {
  const value = bytes && parseStrictJson(bytes);
  return isObject(value) ? value : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Where the token begins in a header value of `length` bytes: behind the scheme and its spaces. */
function skipScheme(text: Uint8Array, length: number): number {
  if (length <= SCHEME.length || text[SCHEME.length] !== SPACE) return 0;
  for (let at = 0; at < SCHEME.length; at++) {
    if (((text[at] ?? 0) | CASE_BIT) !== SCHEME[at]) return 0;
  }
  let start = SCHEME.length;
  while (start < length && text[start] === SPACE) start += 1;
  return start;
}
