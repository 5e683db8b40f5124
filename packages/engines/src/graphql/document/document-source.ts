import { SENTINEL_BYTES } from './tokenizer.ts';
import { LONE_SURROGATE } from './tokens.ts';

/** Room that stays between requests, in bytes; a larger one is given back after the request. */
const KEPT_BYTES_MAX = 1 << 20;
const INITIAL_BYTES = 1 << 12;
const SHORT_BYTES = 64;
/** A byte that only comments and strings may hold. */
const NO_TOKEN = 0xa4;

/** The text of one document in UTF-8, in room that is used again for the next. */
export class DocumentSource {
  bytes: Buffer = Buffer.alloc(INITIAL_BYTES);
  length = 0;

  /** Makes room for `count` bytes; what was there is gone. */
  reserve(count: number): void {
    const size = count + SENTINEL_BYTES;
    if (this.bytes.length >= size) return;
    this.bytes = Buffer.allocUnsafeSlow(Math.max(size, Math.min(this.bytes.length * 2, KEPT_BYTES_MAX)));
  }

  /** Ends the text behind `length` bytes. */
  finish(length: number): void {
    this.length = length;
    const { bytes } = this;
    for (let at = length; at < length + SENTINEL_BYTES; at++) bytes[at] = 0;
  }

  /** Takes bytes over as they are, but for one that UTF-8 does not have and that means something of its own here. */
  setBytes(bytes: Buffer): void {
    this.setPlainBytes(bytes, 0, bytes.length);
    if (!bytes.includes(LONE_SURROGATE)) return;
    for (let at = 0; at < this.length; at++) if (this.bytes[at] === LONE_SURROGATE) this.bytes[at] = LONE_SURROGATE - 1;
  }

  /** Takes over bytes none of which is `LONE_SURROGATE`. */
  setPlainBytes(bytes: Buffer, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    const target = this.bytes;
    // A call out of the engine costs more than it saves for the small documents of a batch.
    if (count > SHORT_BYTES) bytes.copy(target, 0, start, end);
    else for (let at = 0; at < count; at++) target[at] = bytes[start + at] as number;
    this.finish(count);
  }

  /**
   * Puts the text as graphql-php reads it: the first byte of a character alone says how many belong to it, even where those
   * behind it are ASCII, a quote for example. True when that is another text, which only one that is no UTF-8 has.
   */
  joinCharacters(): boolean {
    const { bytes, length } = this;
    let isOther = false;
    for (let at = 0; at < length; at++) {
      const first = bytes[at] as number;
      if (first < 0x80) continue;
      for (let end = Math.min(at + (first < 0xe0 ? 1 : first < 0xf0 ? 2 : 3), length - 1); at < end; ) {
        if ((bytes[++at] as number) >= 0x80) continue;
        bytes[at] = NO_TOKEN;
        isOther = true;
      }
    }
    return isOther;
  }

  /** True when there is nothing but white space. */
  isBlank(): boolean {
    for (let at = 0; at < this.length; at++) if ((this.bytes[at] as number) > 32) return false;
    return true;
  }

  /** Gives back what is more than usual. */
  release(): void {
    if (this.bytes.length > KEPT_BYTES_MAX + SENTINEL_BYTES) this.bytes = Buffer.alloc(INITIAL_BYTES);
    this.length = 0;
  }
}
