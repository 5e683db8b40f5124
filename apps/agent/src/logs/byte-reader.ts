import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { LogRotatedError, type ReadBudget } from './types.ts';

/** The bytes of one file. Offsets of a compressed file are those of its content. */
export interface ByteReader {
  readonly blockBytes: number;
  /** The offset of the first byte that did not exist when the file was opened. */
  size(budget: ReadBudget): Promise<number>;
  /** Throws LogRotatedError if the bytes are gone. */
  read(range: { readonly from: number; readonly to: number }, budget: ReadBudget): Promise<Buffer>;
  /** At most `count` bytes from the beginning. */
  head(count: number, budget: ReadBudget): Promise<Buffer>;
  close(): Promise<void>;
}

const PLAIN_BLOCK_BYTES = 256 * 1024;
/** Each block is read by unpacking everything before it, so there should be few. */
const PACKED_BLOCK_BYTES = 8 * 1024 * 1024;
const PACKED_CHUNK_BYTES = 64 * 1024;

export class PlainReader implements ByteReader {
  readonly blockBytes = PLAIN_BLOCK_BYTES;
  readonly #file: FileHandle;
  readonly #size: number;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#size = size;
  }

  size(): Promise<number> {
    return Promise.resolve(this.#size);
  }

  async read({ from, to }: { from: number; to: number }, budget: ReadBudget): Promise<Buffer> {
    const bytes = await this.head(to - from, budget, from);
    if (bytes.length < to - from) throw new LogRotatedError('the file became shorter');
    return bytes;
  }

  async head(count: number, budget: ReadBudget, from = 0): Promise<Buffer> {
    budget.cancel.throwIfAborted();
    budget.bytes -= count;
    const buffer = Buffer.alloc(count);
    let filled = 0;
    while (filled < count) {
      const { bytesRead } = await this.#file.read(buffer, filled, count - filled, from + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return buffer.subarray(0, filled);
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/** A gzip file. A damaged one ends where the damage begins. */
export class PackedReader implements ByteReader {
  readonly blockBytes = PACKED_BLOCK_BYTES;
  readonly #file: FileHandle;
  #size: number | undefined;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  async size(budget: ReadBudget): Promise<number> {
    this.#size ??= (await this.#unpack({ from: 0, to: 0 }, { budget, isWhole: true })).end;
    return this.#size;
  }

  async read(range: { readonly from: number; readonly to: number }, budget: ReadBudget): Promise<Buffer> {
    const { bytes } = await this.#unpack(range, { budget, isWhole: false });
    if (bytes.length < range.to - range.from) throw new LogRotatedError('the file became shorter');
    return bytes;
  }

  async head(count: number, budget: ReadBudget): Promise<Buffer> {
    return (await this.#unpack({ from: 0, to: count }, { budget, isWhole: false })).bytes;
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  /** Unpacks from the beginning. Without a budget it ends early, as if the file ended there. */
  async #unpack(
    { from, to }: { readonly from: number; readonly to: number },
    { budget, isWhole }: { readonly budget: ReadBudget; readonly isWhole: boolean },
  ): Promise<{ bytes: Buffer; end: number }> {
    const packed = Readable.from(readChunks(this.#file));
    const content: Readable = packed.pipe(createGunzip());
    const parts: Buffer[] = [];
    let end = 0;
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        budget.cancel.throwIfAborted();
        budget.bytes -= chunk.length;
        const [first, last] = [Math.max(0, from - end), Math.min(chunk.length, to - end)];
        if (first < last) parts.push(chunk.subarray(first, last));
        end += chunk.length;
        if ((!isWhole && end >= to) || budget.bytes <= 0) break;
      }
    } catch (error) {
      if (!String((error as NodeJS.ErrnoException).code).startsWith('Z_')) throw error;
    } finally {
      packed.destroy();
      content.destroy();
    }
    return { bytes: Buffer.concat(parts), end };
  }
}

/** A stream of the file would close it. */
async function* readChunks(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let at = 0; ; ) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PACKED_CHUNK_BYTES), 0, PACKED_CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
