import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.flotbk$/;
const PARTIAL = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.flotbk\.\d+\.part$/;

/** The backup files of this controller. Each is named by an id, and only the controller's user can read the folder. */
export class BackupFolder {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
  }

  static nameOf(id: string): string {
    return `${id}.flotbk`;
  }

  /** Throws unless the name is an id with our suffix, so that no path leads out of the folder. */
  pathOf(name: string): string {
    if (!NAME.test(name)) throw new Error(`not the name of a backup file: ${name}`);
    return join(this.#dir, name);
  }

  /** Writes a file completely or not at all. */
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
        // `handle.write` may write only a part, for example on a full disk.
        await handle.writeFile(chunk);
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

  /**
   * Deletes partial files, and backup files without a record, if they were last written before `olderThan`. Keeps backup files
   * created before `createdSince`: they belong to another database, and this one may have been rebuilt from one of them. Ignores
   * files with other names.
   */
  async sweep(
    isKnown: (name: string) => Promise<boolean>,
    { olderThan, createdSince }: { readonly olderThan: Date; readonly createdSince: Date },
  ): Promise<void> {
    const names = await readdir(this.#dir).catch(() => [] as string[]);
    for (const name of names) {
      const isOrphan =
        PARTIAL.test(name) || (NAME.test(name) && createdAt(name) >= createdSince && !(await isKnown(name)));
      if (!isOrphan) continue;
      const path = join(this.#dir, name);
      const found = await stat(path).catch(() => undefined);
      if (found && found.mtime <= olderThan) await rm(path, { force: true });
    }
  }
}

/** Reads the creation time from the first 48 bits of the id (UUIDv7, RFC 9562). */
function createdAt(name: string): Date {
  return new Date(Number.parseInt(name.replaceAll('-', '').slice(0, 12), 16));
}
