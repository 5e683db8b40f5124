import { Buffer } from 'node:buffer';
import { failBackup } from '@flotilla/contract';

/** Reads exact numbers of bytes from a stream. Throws `backup.truncated` if the stream ends too early. */
export class ByteSource {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffered: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const parts = [this.#buffered];
    let length = this.#buffered.length;
    while (length < count) {
      const { done, value } = await this.#chunks.next();
      if (done) throw failBackup('backup.truncated');
      parts.push(value);
      length += value.length;
    }
    const all = parts.length === 1 ? this.#buffered : Buffer.concat(parts);
    this.#buffered = all.subarray(count);
    return all.subarray(0, count);
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#buffered.length === 0) {
      const { done, value } = await this.#chunks.next();
      if (done) return true;
      this.#buffered = value;
    }
    return false;
  }

  /** Releases a stream that was not read to its end. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }
}
