import { randomBytes } from 'node:crypto';
import { chmod, chown, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/** Replaces a file so that a crash leaves the old or the new content, never a part; on disk when it resolves. */
export async function writeFileAtomically(
  path: string,
  content: string | Uint8Array,
  options: { mode?: number; owner?: FileOwner } = {},
): Promise<void> {
  const { mode = 0o600, owner } = options;
  const staged = `${path}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = await open(staged, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await chmod(staged, mode);
    if (owner) await chown(staged, owner.uid, owner.gid);
    await rename(staged, path);
  } catch (error) {
    await rm(staged, { force: true });
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** The content, or undefined when there is no such file. */
export async function readFileIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes what a killed writer left in a folder that nobody writes to now. */
export async function removeStaged(dir: string): Promise<void> {
  for (const name of await readdir(dir)) {
    if (/\.[0-9a-f]{8}\.tmp$/.test(name)) await rm(join(dir, name), { force: true });
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
