import { decodeText } from '../wire/string-cache.ts';
import { TEXT_CHECKS } from './format.ts';

/** Thrown inside this package; `decodeBatch` returns its message. */
export class BatchFault extends Error {
  override name = 'BatchFault';
}

const HEX_DIGITS = Buffer.from('0123456789abcdef');
/** A whole text at once: joined parts would be several objects for each request. */
const uuidText = Buffer.from('00000000-0000-0000-0000-000000000000');
const LITERAL_MAX_BYTES = 16 * 1024;

/** Reads the numbers and texts of a batch. Throws BatchFault for everything that no writer writes. */
export class BatchReader {
  readonly #bytes: Buffer;
  #at: number;
  readonly #texts: string[] = [''];
  /** Bit n: the text was accepted for field n. */
  readonly #accepted: number[] = [0];

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  /** At most 2^53 - 1. */
  varint(): number {
    const bytes = this.#bytes;
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 8; count += 1) {
      const byte = bytes[this.#at++];
      if (byte === undefined) throw new BatchFault('the batch ends in a number');
      value += (byte & 127) * scale;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      scale *= 128;
    }
    throw new BatchFault('a number is too large');
  }

  signed(): number {
    const value = this.varint();
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2;
  }

  /** The next text of field `field` of TEXT_FIELDS. */
  text(field: number): string {
    const number = this.varint();
    const index = number === 0 ? this.#add() : number;
    const text = this.#texts[index];
    if (text === undefined || index === 0) throw new BatchFault('a text is not in the dictionary');
    const accepted = this.#accepted[index] as number;
    if ((accepted & (1 << field)) !== 0) return text;
    if (TEXT_CHECKS[field]?.(text) !== true) throw new BatchFault(`field ${field} has a text that does not fit`);
    this.#accepted[index] = accepted | (1 << field);
    return text;
  }

  /** `length` bytes of UTF-8. Control characters become spaces. */
  literal(length: number): string {
    const end = this.#at + length;
    if (length > LITERAL_MAX_BYTES || end > this.#bytes.length) throw new BatchFault('a text is too long');
    const text = decodeText(this.#bytes, this.#at, end);
    this.#at = end;
    return text;
  }

  /** 16 bytes as a UUID. */
  uuid(): string {
    const end = this.#at + 16;
    if (end > this.#bytes.length) throw new BatchFault('the batch ends in an id');
    let to = 0;
    for (let at = this.#at; at < end; at += 1) {
      const byte = this.#bytes[at] as number;
      if (to === 8 || to === 13 || to === 18 || to === 23) to += 1;
      uuidText[to] = HEX_DIGITS[byte >> 4] as number;
      uuidText[to + 1] = HEX_DIGITS[byte & 15] as number;
      to += 2;
    }
    this.#at = end;
    return uuidText.toString('latin1');
  }

  #add(): number {
    this.#texts.push(this.literal(this.varint()));
    this.#accepted.push(0);
    return this.#texts.length - 1;
  }
}
