import { readUint32 } from '../http2/protocol.ts';
import { PREFIX_BYTES } from './prepared-message.ts';

/** What a message of a few bytes may take: whoever begins many and ends none must not make us hold a page for each. */
const FIRST_CAPACITY_BYTES = 256;

/**
 * The beginning of a message whose rest has not arrived. Memory follows what has come, at most doubled: what the prefix
 * promises costs nothing.
 */
export class PartialMessage {
  #bytes = Buffer.allocUnsafeSlow(0);
  length = 0;

  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Bytes held, used or not. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** Prefix and message, or the prefix while it is not whole. */
  get total(): number {
    return this.length < PREFIX_BYTES ? PREFIX_BYTES : PREFIX_BYTES + readUint32(this.#bytes, 1);
  }

  /** Takes what belongs to this message, or to its prefix while that is not whole; where the bytes go on. */
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
