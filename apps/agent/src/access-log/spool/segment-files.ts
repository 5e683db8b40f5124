import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '@flotilla/kit';
import { encodeHeader, HEADER_BYTES, RECORD_MAX_BYTES, type SegmentHeader } from './segment.ts';

/** A segment that was found on disk. */
export interface FoundSegment {
  readonly index: number;
  readonly bytes: number;
  /** When something was written last. */
  readonly writtenMs: number;
}

/** The segment that records are appended to. */
export interface OpenSegment {
  /** Resolves when the operating system has the bytes: they survive the death of the agent. Rejects if they do not fit on the disk. */
  append(bytes: Buffer): Promise<void>;
  close(): Promise<void>;
}

const NAME = /^(\d{12})\.seg$/;

/** The files of one spool, in a folder that only the agent may open. They are named by ascending numbers. */
export class SegmentFiles {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  /** Oldest first. Creates nothing. */
  async list(): Promise<FoundSegment[]> {
    const names = await readdir(this.#dir).catch(() => []);
    const indexes = names.flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
    const found = indexes.sort((a, b) => a - b).map((index) => this.#describe(index));
    return Promise.all(found);
  }

  /** Rejects, and leaves nothing, if the disk is full. */
  async create(index: number, header: SegmentHeader): Promise<OpenSegment> {
    await makeFolder(this.#dir, 0o700);
    const path = this.#pathOf(index);
    const file = await open(path, 'wx', 0o600);
    let size = 0;
    const append = async (bytes: Buffer) => {
      try {
        // Writes all bytes or rejects.
        await file.writeFile(bytes);
        size += bytes.length;
      } catch (error) {
        // A record behind a cut one would not be read. If this fails as well, the caller begins another segment.
        await file.truncate(size).catch(() => undefined);
        throw error;
      }
    };
    const close = () => file.close();
    try {
      await append(encodeHeader(header));
    } catch (error) {
      await close().catch(() => undefined);
      await rm(path, { force: true });
      throw error;
    }
    return { append, close };
  }

  /** At most one record of the largest size from `at`, or what is there. */
  async read(index: number, at: number, bytesMax = RECORD_MAX_BYTES): Promise<Buffer> {
    const file = await open(this.#pathOf(index), 'r');
    try {
      const { size } = await file.stat();
      const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(bytesMax, size - at)));
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  readHeader(index: number): Promise<Buffer> {
    return this.read(index, 0, HEADER_BYTES);
  }

  readAll(index: number): Promise<Buffer> {
    return readFile(this.#pathOf(index));
  }

  async remove(index: number): Promise<void> {
    await rm(this.#pathOf(index), { force: true });
  }

  async #describe(index: number): Promise<FoundSegment> {
    const file = await open(this.#pathOf(index), 'r');
    try {
      const { size, mtimeMs } = await file.stat();
      return { index, bytes: size, writtenMs: mtimeMs };
    } finally {
      await file.close();
    }
  }

  #pathOf(index: number): string {
    return join(this.#dir, `${String(index).padStart(12, '0')}.seg`);
  }
}
