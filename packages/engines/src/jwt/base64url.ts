/** Last characters without spare bits, by the number of characters after the last group of four. */
const LAST_CHARS: readonly string[] = ['', '', 'AQgw', 'AEIMQUYcgkosw048'];

/**
 * Decodes base64url (RFC 7515 section 2) in its canonical form: no padding, white space or other alphabet, and no spare
 * bits in the last character. A result is valid until the next call.
 */
export class Base64urlDecoder {
  readonly #bytes: Buffer;
  /** The last result, reused because signatures of one key have equal lengths. */
  #view: Buffer;

  /** `maxChars` limits the length of the texts. */
  constructor(maxChars: number) {
    this.#bytes = Buffer.alloc(maxChars);
    this.#view = this.#bytes;
  }

  /** Decodes an ASCII text; undefined if it is not canonical. */
  decode(text: string): Buffer | undefined {
    const { length } = text;
    const rest = length & 3;
    // A single character encodes nothing.
    if (rest === 1) return undefined;
    // Node skips invalid characters, which gives fewer bytes, but also accepts those of plain base64.
    const bytes = (length * 3) >>> 2;
    if (this.#bytes.write(text, 'base64url') !== bytes || text.includes('+') || text.includes('/')) return undefined;
    if (rest !== 0 && !LAST_CHARS[rest]?.includes(text.charAt(length - 1))) return undefined;
    if (this.#view.length !== bytes) this.#view = this.#bytes.subarray(0, bytes);
    return this.#view;
  }
}
