import { parseStrictJson } from '@flotilla/policy';
import { Base64urlDecoder } from './base64url.ts';

/** Longer header values are rejected unread; proxies accept headers of 60 KiB in total. */
export const TOKEN_MAX_CHARS = 16_384;

const SCHEME = Buffer.from('bearer');
const SPACE = 32;
/** Set in lowercase letters; masking it maps only uppercase letters to them. */
const CASE_BIT = 32;

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The parts of one token in compact form (RFC 7515 section 7.1), read in place as bytes. Results are valid until the
 * next `read`.
 */
export class TokenReader {
  /** Header of the last token, as base64url. */
  header = '';
  readonly #text = Buffer.alloc(TOKEN_MAX_CHARS);
  readonly #objects = new Base64urlDecoder(TOKEN_MAX_CHARS);
  readonly #signatures = new Base64urlDecoder(TOKEN_MAX_CHARS);
  #value = '';
  #start = 0;
  #headerEnd = 0;
  #claimsEnd = 0;

  /**
   * Reads a header value, in which the scheme `Bearer` (any case) may precede the token. False if it is longer than
   * `TOKEN_MAX_CHARS`, not all ASCII, or not three nonempty parts; the other methods must not be called then.
   */
  read(value: string): boolean {
    // If there are as many UTF-8 bytes as characters, all of them are ASCII.
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

  /** The header's members; undefined if it is not a JSON object or is ambiguous. */
  decodeHeader(): JsonObject | undefined {
    return toObject(this.#objects.decode(this.header));
  }

  /** The same for the claims. */
  decodeClaims(): JsonObject | undefined {
    return toObject(this.#objects.decode(this.#value.slice(this.#headerEnd + 1, this.#claimsEnd)));
  }

  /** Undefined if it is not canonical base64url. */
  decodeSignature(): Buffer | undefined {
    return this.#signatures.decode(this.#value.slice(this.#claimsEnd + 1));
  }

  /** The signed bytes: header, dot and claims as written. */
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

/** Offset of the token in a header value of `length` bytes, after the scheme and its spaces. */
function skipScheme(text: Uint8Array, length: number): number {
  if (length <= SCHEME.length || text[SCHEME.length] !== SPACE) return 0;
  for (let at = 0; at < SCHEME.length; at++) {
    if (((text[at] ?? 0) | CASE_BIT) !== SCHEME[at]) return 0;
  }
  let start = SCHEME.length;
  while (start < length && text[start] === SPACE) start += 1;
  return start;
}
