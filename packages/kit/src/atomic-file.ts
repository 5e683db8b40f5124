import { randomBytes } from 'node:crypto';
import { chmod, chown, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

export interface FileOwner {
  readonly uid: number;
  readonly gid: number;
}

/**
 * Replaces a file so that a crash leaves either the old or the new content, never part of one. When it resolves, the
 * content is on disk.
 */
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

/** Returns undefined if the file does not exist. */
export async function readFileIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Deletes the staged files of killed writers. No writer may be active in the folder. */
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
