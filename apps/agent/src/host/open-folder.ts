import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, rename, rmdir, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const FOLDER_FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/**
 * An open folder, with operations on names in it that are safe while another user changes it.
 *
 * Node has no openat(2). On Linux, `/proc/self/fd/N/name` is equivalent: the kernel uses the open folder itself, even if its path
 * leads elsewhere by now, and no call here follows a link in the last component. Other systems use the path.
 */
export class OpenFolder {
  readonly #handle: FileHandle;
  readonly #base: string;

  private constructor(handle: FileHandle, path: string) {
    this.#handle = handle;
    this.#base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : path;
  }

  /** Rejects with ENOTDIR if `path` itself is a link or not a folder. The parent folders must be trusted. */
  static async open(path: string): Promise<OpenFolder> {
    return new OpenFolder(await open(path, FOLDER_FLAGS), path);
  }

  openFolder(name: string): Promise<OpenFolder> {
    return OpenFolder.open(this.#at(name));
  }

  /** Opens a file. Never blocks on a pipe and never follows a link. */
  openFile(name: string, flags: number, mode?: number): Promise<FileHandle> {
    return open(this.#at(name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, mode);
  }

  /** Returns at most `max` names, in any order. */
  async names(max = Number.POSITIVE_INFINITY): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of await opendir(this.#base)) {
      names.push(name);
      if (names.length >= max) break;
    }
    return names;
  }

  /** Renames within this folder. */
  rename(from: string, to: string): Promise<void> {
    return rename(this.#at(from), this.#at(to));
  }

  /** Deletes a file, a socket or the link itself. Ignores a missing one. */
  async remove(name: string): Promise<void> {
    await unlink(this.#at(name)).catch(ignoreMissing);
  }

  /** Changes owner and mode of the folder itself. */
  async own(uid: number, gid: number, mode: number): Promise<void> {
    await this.#handle.chown(uid, gid);
    await this.#handle.chmod(mode);
  }

  /**
   * Deletes a file or a whole folder. Subfolders are moved up before they are emptied, so that no depth exhausts the
   * process's open files. A link is deleted, never followed.
   */
  async removeTree(name: string): Promise<void> {
    if (!(await this.#isFolder(name))) return this.remove(name);
    const top = await this.openFolder(name);
    try {
      await top.#empty();
    } finally {
      await top.close();
    }
    await rmdir(this.#at(name)).catch(ignoreMissing);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #empty(): Promise<void> {
    for (let names = await this.names(); names.length > 0; names = await this.names()) {
      for (const name of names) {
        if (!(await this.#isFolder(name))) {
          await this.remove(name);
          continue;
        }
        const folder = await this.openFolder(name);
        try {
          for (const inner of await folder.names()) {
            if (await folder.#isFolder(inner)) await rename(folder.#at(inner), this.#at(`.removing-${randomUUID()}`));
            else await folder.remove(inner);
          }
        } finally {
          await folder.close();
        }
        await rmdir(this.#at(name)).catch(ignoreMissing);
      }
    }
  }

  async #isFolder(name: string): Promise<boolean> {
    const facts = await lstat(this.#at(name)).catch(ignoreMissing);
    return facts?.isDirectory() === true;
  }

  #at(name: string): string {
    if (name === '' || name === '.' || name === '..' || name.includes('/'))
      throw new Error(`"${name}" is not a file name: it must not be empty, "." or "..", or contain "/"`);
    return join(this.#base, name);
  }
}

/** Runs `work` with the folder open. Returns undefined if the folder does not exist. */
export async function withFolder<T>(path: string, work: (folder: OpenFolder) => Promise<T>): Promise<T | undefined> {
  const folder = await OpenFolder.open(path).catch(ignoreMissing);
  if (!folder) return undefined;
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

/** Deletes a file or folder with its content, even while others change the content. The parent folder must be trusted. */
export async function removeTree(path: string): Promise<void> {
  await withFolder(dirname(path), (folder) => folder.removeTree(basename(path)));
}

/**
 * Creates a folder or uses the existing one, and sets its owner and mode. Replaces a link with a folder. The parent folder
 * must be trusted.
 */
export async function ownFolder(
  path: string,
  mode: number,
  owner: { uid: number; gid: number } | undefined,
): Promise<void> {
  const make = () => mkdir(path, { mode }).catch(ignoreExisting);
  await make();
  const folder = await OpenFolder.open(path).catch(async (error: NodeJS.ErrnoException) => {
    if (!(await lstat(path)).isSymbolicLink()) throw error;
    await unlink(path);
    await make();
    return OpenFolder.open(path);
  });
  try {
    await folder.own(owner?.uid ?? -1, owner?.gid ?? -1, mode);
  } finally {
    await folder.close();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
