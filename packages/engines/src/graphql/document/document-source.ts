import { SENTINEL_BYTES } from './tokenizer.ts';
import { LONE_SURROGATE } from './tokens.ts';

/** Bytes that are kept between requests; a larger buffer is released after the request. */
const KEPT_BYTES_MAX = 1 << 20;
const INITIAL_BYTES = 1 << 12;
const SHORT_BYTES = 64;
/** A byte that only comments and strings may contain. */
const NO_TOKEN = 0xa4;

/** The text of one document in UTF-8, in a buffer that is reused for the next. */
export class DocumentSource {
  bytes: Buffer = Buffer.alloc(INITIAL_BYTES);
  length = 0;

  /** Reserves `count` bytes; previous content is lost. */
  reserve(count: number): void {
    const size = count + SENTINEL_BYTES;
    if (this.bytes.length >= size) return;
    this.bytes = Buffer.allocUnsafeSlow(Math.max(size, Math.min(this.bytes.length * 2, KEPT_BYTES_MAX)));
  }

  /** Ends the text after `length` bytes. */
  finish(length: number): void {
    this.length = length;
    const { bytes } = this;
    for (let at = length; at < length + SENTINEL_BYTES; at++) bytes[at] = 0;
  }

  /** Copies the bytes, except for a byte that UTF-8 does not use and that has a special meaning here. */
  setBytes(bytes: Buffer): void {
    this.setPlainBytes(bytes, 0, bytes.length);
    if (!bytes.includes(LONE_SURROGATE)) return;
    for (let at = 0; at < this.length; at++) if (this.bytes[at] === LONE_SURROGATE) this.bytes[at] = LONE_SURROGATE - 1;
  }

  /** Copies bytes that do not contain `LONE_SURROGATE`. */
  setPlainBytes(bytes: Buffer, start: number, end: number): void {
    const count = end - start;
    this.reserve(count);
    const target = this.bytes;
    // A native call costs more than it saves for the small documents of a batch.
    if (count > SHORT_BYTES) bytes.copy(target, 0, start, end);
    else for (let at = 0; at < count; at++) target[at] = bytes[start + at] as number;
    this.finish(count);
  }

  /**
   * Converts the text to what graphql-php reads: the first byte of a character alone determines its length, even if the
   * following bytes are ASCII, such as a quote. True if this changes the text, which happens only if it is not UTF-8.
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

  /** True if there is only white space. */
  isBlank(): boolean {
    for (let at = 0; at < this.length; at++) if ((this.bytes[at] as number) > 32) return false;
    return true;
  }

  /** Releases memory beyond the usual amount. */
  release(): void {
    if (this.bytes.length > KEPT_BYTES_MAX + SENTINEL_BYTES) this.bytes = Buffer.alloc(INITIAL_BYTES);
    this.length = 0;
  }
}
