import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.flotbk$/;

/** The backups' files of this controller: names are ids and nothing else, the folder is its user's alone. */
export class BackupFolder {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  static nameOf(id: string): string {
    return `${id}.flotbk`;
  }

  /** Throws for any other name than one of ours: none leads out of the folder. */
  pathOf(name: string): string {
    if (!NAME.test(name)) throw new Error('a backup file has another name');
    return join(this.#dir, name);
  }

  /** A file that is there whole or not at all. */
  async write(
    name: string,
    produce: (sink: (bytes: Buffer) => Promise<void>) => Promise<void>,
  ): Promise<{ bytes: number; sha256: string }> {
    const path = this.pathOf(name);
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const partial = `${path}.${process.pid}.part`;
    const hash = createHash('sha256');
    let bytes = 0;
    const handle = await open(partial, 'w', 0o600);
    try {
      await produce(async (chunk) => {
        hash.update(chunk);
        bytes += chunk.length;
        await handle.write(chunk);
      });
      await handle.sync();
      await handle.close();
      await rename(partial, path);
    } catch (error) {
      await handle.close().catch(() => undefined);
      await rm(partial, { force: true });
      throw error;
    }
    return { bytes, sha256: hash.digest('hex') };
  }

  read(name: string): AsyncIterable<Buffer> {
    return createReadStream(this.pathOf(name));
  }

  async has(name: string): Promise<boolean> {
    return stat(this.pathOf(name)).then(
      () => true,
      () => false,
    );
  }

  async remove(name: string): Promise<void> {
    await rm(this.pathOf(name), { force: true });
  }

  /** Files that no record names any more, and what was left half written. */
  async sweep(isKnown: (name: string) => Promise<boolean>, olderThan: Date): Promise<void> {
    const names = await readdir(this.#dir).catch(() => [] as string[]);
    for (const name of names) {
      const path = join(this.#dir, name);
      const { mtime } = await stat(path);
      if (mtime > olderThan || (NAME.test(name) && (await isKnown(name)))) continue;
      await rm(path, { force: true });
    }
  }
}
