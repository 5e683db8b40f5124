import { Buffer } from 'node:buffer';
import { failBackup } from '@flotilla/contract';

/** Reads exact numbers of bytes off a stream; what ends before is truncated. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #waiting: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const parts = [this.#waiting];
    let length = this.#waiting.length;
    while (length < count) {
      const { done, value } = await this.#chunks.next();
      if (done) throw failBackup('backup.truncated');
      parts.push(value);
      length += value.length;
    }
    const all = parts.length === 1 ? this.#waiting : Buffer.concat(parts);
    this.#waiting = all.subarray(count);
    return all.subarray(0, count);
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#waiting.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return true;
      this.#waiting = value;
    }
    return false;
  }

  /** Of a file that is left before its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
