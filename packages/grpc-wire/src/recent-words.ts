/**
 * Views bytes as words, because comparing four bytes at a time is faster than one by one. Caches the last view: a
 * thread has one buffer that its sockets are read into, so the same bytes are mostly asked for again.
 */
export class RecentWords {
  #bytes: Uint8Array = new Uint8Array(0);
  #words = new DataView(this.#bytes.buffer);

  /** A view whose offset 0 is `bytes[0]`. */
  of(bytes: Uint8Array): DataView {
    if (this.#bytes !== bytes) {
      this.#bytes = bytes;
      this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    }
    return this.#words;
  }
}
