import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';

export interface ArchiveFacts {
  readonly bytes: number;
  /** In hexadecimal digits. */
  readonly sha256: string;
}

/** Writes a tar archive, packed with gzip, into a new file that only its owner may read. One file of it is in memory at a time. */
export class ArchiveWriter {
  readonly #path: string;
  readonly #folder: string;
  readonly #pack = pack();
  readonly #hash = createHash('sha256');
  readonly #written: Promise<void>;
  #bytes = 0;
  /** Why nothing can be written any more. The next call reports it. */
  #failure: { readonly error: unknown } | undefined;

  /** All files of the archive are in `folder`. */
  constructor(path: string, folder: string) {
    this.#path = path;
    this.#folder = folder;
    const count = new Transform({
      transform: (chunk: Buffer, _, done) => {
        this.#bytes += chunk.length;
        this.#hash.update(chunk);
        done(null, chunk);
      },
    });
    const file = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    this.#written = pipeline(this.#pack, createGzip(), count, file);
    this.#written.catch((error: unknown) => {
      this.#failure = { error };
    });
  }

  async add(name: string, content: string, mtime: Date): Promise<void> {
    if (this.#failure) throw this.#failure.error;
    const bytes = Buffer.from(content);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const header = { name: `${this.#folder}/${name}`, size: bytes.length, mode: 0o600, mtime };
    const entry = this.#pack.entry(header, (error) => (error ? reject(error) : resolve()));
    entry.end(bytes);
    await Promise.race([promise, this.#written]);
  }

  /** Resolves when the archive is complete and on disk. */
  async finish(): Promise<ArchiveFacts> {
    this.#pack.finalize();
    await this.#written;
    const file = await open(this.#path, 'r');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  abort(): void {
    this.#pack.destroy();
  }
}
