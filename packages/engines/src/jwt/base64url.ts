const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Stands in the table for what is no letter of the alphabet: more than any letter is worth. */
const FOREIGN = 64;

const VALUES = new Uint8Array(256).fill(FOREIGN);
for (let n = 0; n < ALPHABET.length; n++) VALUES[ALPHABET.charCodeAt(n)] = n;

/**
 * Reads base64url text (RFC 7515 section 2) in its one spelling: no padding, white space or other alphabet, and no spare
 * bits in the last character. What an instance answers holds until it is asked again.
 */
export class Base64urlDecoder {
  readonly #text: Uint8Array;
  readonly #bytes: Buffer;
  /** The last answer: signatures of one key are all of one length. */
  #view: Buffer;

  /** Decodes parts of `text`, as it is at the moment of the question. */
  constructor(text: Uint8Array) {
    this.#text = text;
    this.#bytes = Buffer.alloc(text.length);
    this.#view = this.#bytes;
  }

  /** The bytes of the text from `from` to before `to`; undefined for text that is not the one that encodes them. */
  decode(from: number, to: number): Buffer | undefined {
    const text = this.#text;
    const bytes = this.#bytes;
    const rest = (to - from) & 3;
    const quads = to - rest;
    let seen = 0;
    let end = 0;
    for (let at = from; at < quads; at += 4) {
      const a = valueAt(text, at);
      const b = valueAt(text, at + 1);
      const c = valueAt(text, at + 2);
      const d = valueAt(text, at + 3);
      seen |= a | b | c | d;
      bytes[end] = (a << 2) | (b >> 4);
      bytes[end + 1] = (b << 4) | (c >> 2);
      bytes[end + 2] = (c << 6) | d;
      end += 3;
    }
    // One character alone encodes nothing; two and three encode a byte less, with bits to spare.
    if (rest === 1) return undefined;
    if (rest !== 0) {
      const a = valueAt(text, quads);
      const b = valueAt(text, quads + 1);
      const c = rest === 3 ? valueAt(text, quads + 2) : 0;
      const spare = rest === 3 ? c & 3 : b & 15;
      if (spare !== 0) return undefined;
      seen |= a | b | c;
      bytes[end] = (a << 2) | (b >> 4);
      if (rest === 3) bytes[end + 1] = (b << 4) | (c >> 2);
      end += rest - 1;
    }
    if (seen >= FOREIGN) return undefined;
    if (this.#view.length !== end) this.#view = bytes.subarray(0, end);
    return this.#view;
  }
}

function valueAt(text: Uint8Array, at: number): number {
  return VALUES[text[at] ?? 0] ?? FOREIGN;
}
