import { readUint32 } from '../http2/protocol.ts';
import { PREFIX_BYTES } from './prepared-message.ts';

/**
 * Initial capacity. It is small so that a peer that starts many messages and finishes none does not make us hold a page
 * for each.
 */
const FIRST_CAPACITY_BYTES = 256;

/**
 * The beginning of a message. Its memory grows with the bytes that have arrived, at most doubling; a large length in
 * the prefix allocates nothing.
 */
export class PartialMessage {
  #bytes = Buffer.allocUnsafeSlow(0);
  length = 0;

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Allocated bytes, whether used or not. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** Length of prefix and message, or of the prefix alone until it is complete. */
  get total(): number {
    return this.length < PREFIX_BYTES ? PREFIX_BYTES : PREFIX_BYTES + readUint32(this.#bytes, 1);
  }

  /**
   * Takes the bytes that belong to this message, or to its prefix until that is complete. Returns the offset after
   * them.
   */
  append(bytes: Buffer, start: number, end: number): number {
    const total = this.total;
    const to = Math.min(end, start + total - this.length);
    this.#makeRoom(this.length + to - start, total);
    bytes.copy(this.#bytes, this.length, start, to);
    this.length += to - start;
    return to;
  }

  #makeRoom(needed: number, total: number): void {
    if (needed <= this.#bytes.length) return;
    const doubled = Math.max(2 * this.#bytes.length, FIRST_CAPACITY_BYTES);
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(doubled, total)));
    this.#bytes.copy(grown, 0, 0, this.length);
    this.#bytes = grown;
  }
}
