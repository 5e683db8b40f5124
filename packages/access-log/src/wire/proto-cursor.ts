/** Thrown inside this package for bytes that are not a message; callers count the entry. One object, because a flood of them must be cheap. */
export const MALFORMED = new Error('the message is malformed');
MALFORMED.stack = '';

const VARINT = 0;
const FIXED64 = 1;
export const BYTES = 2;
const FIXED32 = 5;

const LOW = 128;

/**
 * Reads protobuf (https://protobuf.dev/programming-guides/encoding) where it is. One cursor serves one message after the other; nested messages are read by
 * their bounds. All methods throw MALFORMED beyond `end`.
 */
export class ProtoCursor {
  bytes: Buffer = Buffer.alloc(0);
  at = 0;
  end = 0;
  /** Field number and wire type of the last tag. */
  field = 0;
  type = 0;

  /** False at the end. */
  next(): boolean {
    if (this.at >= this.end) return false;
    const tag = this.varint();
    this.field = Math.floor(tag / 8);
    this.type = tag % 8;
    if (this.field === 0) throw MALFORMED;
    return true;
  }

  /** At most 64 bits. Values above 2^53 lose precision. */
  varint(): number {
    const { bytes, end } = this;
    let byte = this.at < end ? (bytes[this.at++] as number) : this.#fail();
    if (byte < LOW) return byte;
    let value = byte - LOW;
    let scale = LOW;
    for (let count = 1; count < 10; count += 1) {
      byte = this.at < end ? (bytes[this.at++] as number) : this.#fail();
      value += (byte % LOW) * scale;
      if (byte < LOW) return value;
      scale *= LOW;
    }
    return this.#fail();
  }

  /** A varint with a sign, as in int32 and int64: negative numbers take ten bytes. */
  signedVarint(): number {
    const value = this.varint();
    return value >= 2 ** 63 ? value - 2 ** 64 : value;
  }

  /** The end of a length-delimited field that begins at `at`. */
  length(): number {
    if (this.type !== BYTES) throw MALFORMED;
    const length = this.varint();
    const end = this.at + length;
    if (end > this.end) throw MALFORMED;
    return end;
  }

  /** Passes over a field that is not needed. */
  skip(): void {
    switch (this.type) {
      case VARINT:
        this.varint();
        return;
      case FIXED64:
        this.#pass(8);
        return;
      case BYTES:
        this.at = this.length();
        return;
      case FIXED32:
        this.#pass(4);
        return;
      default:
        // Groups do not occur in messages of Envoy.
        throw MALFORMED;
    }
  }

  #pass(count: number): void {
    if (this.at + count > this.end) throw MALFORMED;
    this.at += count;
  }

  #fail(): never {
    throw MALFORMED;
  }
}
