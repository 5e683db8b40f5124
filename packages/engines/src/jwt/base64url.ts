/** Last characters without spare bits, by how many characters stand behind the last whole group of four. */
const LAST_CHARS: readonly string[] = ['', '', 'AQgw', 'AEIMQUYcgkosw048'];

/**
 * Reads base64url text (RFC 7515 section 2) in its one spelling: no padding, white space or other alphabet, and no spare
 * bits in the last character. What an instance answers holds until it is asked again.
 */
export class Base64urlDecoder {
  readonly #bytes: Buffer;
  /** The last answer: signatures of one key are all of one length. */
  #view: Buffer;

  /** For texts of at most so many characters. */
  constructor(maxChars: number) {
    this.#bytes = Buffer.alloc(maxChars);
    this.#view = this.#bytes;
  }

  /** The bytes of a text in ASCII; undefined where it is not the one that encodes them. */
  decode(text: string): Buffer | undefined {
    const { length } = text;
    const rest = length & 3;
    // One character alone encodes nothing.
    if (rest === 1) return undefined;
    // Node passes over what is no letter, and then has fewer bytes, but takes the letters of plain base64 as well.
    const bytes = (length * 3) >>> 2;
    if (this.#bytes.write(text, 'base64url') !== bytes || text.includes('+') || text.includes('/')) return undefined;
    if (rest !== 0 && !LAST_CHARS[rest]?.includes(text.charAt(length - 1))) return undefined;
    if (this.#view.length !== bytes) this.#view = this.#bytes.subarray(0, bytes);
    return this.#view;
  }
}
