import type { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const NAME = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.flotbk$/;
const PARTIAL = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\.flotbk\.\d+\.part$/;

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
        // `write` alone may take a part of it, as where the disk is full.
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
   * Takes away what was left half written, and files that no record names any more. Both only where nothing was written to them
   * since `olderThan`; the latter only where they were made since `madeSince`: older ones are of another database, and one of
   * them may be the backup that this database was rebuilt from. Whatever else lies in the folder is not ours.
   */
  async sweep(
    isKnown: (name: string) => Promise<boolean>,
    { olderThan, madeSince }: { readonly olderThan: Date; readonly madeSince: Date },
  ): Promise<void> {
    const names = await readdir(this.#dir).catch(() => [] as string[]);
    for (const name of names) {
      const isLeft = PARTIAL.test(name) || (NAME.test(name) && madeAt(name) >= madeSince && !(await isKnown(name)));
      if (!isLeft) continue;
      const path = join(this.#dir, name);
      const found = await stat(path).catch(() => undefined);
      if (found && found.mtime <= olderThan) await rm(path, { force: true });
    }
  }
}

/** Ids begin with the milliseconds at which they were made. */
function madeAt(name: string): Date {
  return new Date(Number.parseInt(name.replaceAll('-', '').slice(0, 12), 16));
}
