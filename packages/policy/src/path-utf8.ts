const REPLACEMENT = 0xfffd;
const CONTINUATION_MIN = 0x80;
const CONTINUATION_MAX = 0xbf;

/**
 * Decodes UTF-8 to UTF-16 byte by byte as the Encoding standard (section 8.1.1): each maximal invalid part becomes one
 * U+FFFD. Never writes more units than it gets bytes.
 */
export class Utf8Decoder {
  #codes: Uint16Array = new Uint16Array(0);
  /** Offset of the next unit. */
  size = 0;
  #missing = 0;
  #point = 0;
  #least = CONTINUATION_MIN;
  #most = CONTINUATION_MAX;

  begin(codes: Uint16Array, size: number): void {
    this.#codes = codes;
    this.size = size;
  }

  push(byte: number): void {
    if (this.#missing > 0) {
      if (byte >= this.#least && byte <= this.#most) {
        this.#continue(byte);
        return;
      }
      this.end();
    }
    if (byte < 0x80) this.#codes[this.size++] = byte;
    else if (byte >= 0xc2 && byte <= 0xf4) this.#start(byte);
    else this.#codes[this.size++] = REPLACEMENT;
  }

  /** An incomplete character is invalid. */
  end(): void {
    if (this.#missing === 0) return;
    this.#missing = 0;
    this.#codes[this.size++] = REPLACEMENT;
  }

  #start(byte: number): void {
    this.#missing = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#point = byte & (0x3f >> this.#missing);
    // Excludes overlong forms, surrogates, and code points above the maximum.
    this.#least = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : CONTINUATION_MIN;
    this.#most = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : CONTINUATION_MAX;
  }

  #continue(byte: number): void {
    this.#least = CONTINUATION_MIN;
    this.#most = CONTINUATION_MAX;
    this.#point = (this.#point << 6) | (byte & 0x3f);
    if (--this.#missing > 0) return;
    if (this.#point < 0x10000) this.#codes[this.size++] = this.#point;
    else {
      this.#codes[this.size++] = 0xd7c0 + (this.#point >> 10);
      this.#codes[this.size++] = 0xdc00 + (this.#point & 0x3ff);
    }
  }
}
