import { createHash } from 'node:crypto';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

const FILES_LISTED_MAX = 1000;
const ATTEMPTS = 3;

export interface BundleFile {
  /** Within the bundle. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface BundleFiles {
  /** The first files by path. */
  readonly files: readonly BundleFile[];
  /** Number of all files. */
  readonly total: number;
}

/** Reads the active bundle from the disk. `link` is the link to its folder; without one there are no files. */
export async function readBundleFiles(link: string): Promise<BundleFiles> {
  for (let attempt = 1; ; attempt += 1) {
    const folder = await readlink(link).catch(() => undefined);
    if (folder === undefined) return { files: [], total: 0 };
    try {
      return await readFolder(join(dirname(link), folder));
    } catch (error) {
      // Another bundle has become active, and this one is being deleted.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || attempt === ATTEMPTS) throw error;
    }
  }
}

async function readFolder(folder: string): Promise<BundleFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
  const files: BundleFile[] = [];
  for (const path of paths.slice(0, FILES_LISTED_MAX)) {
    const content = await readFile(join(folder, path));
    files.push({ path, bytes: content.length, sha256: createHash('sha256').update(content).digest('hex') });
  }
  return { files, total: paths.length };
}
