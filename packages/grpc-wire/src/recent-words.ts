/**
 * The words of bytes: four at a time are compared faster than one by one. The bytes that were asked about last are mostly
 * asked about again: a thread has one buffer that its sockets are read into.
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
