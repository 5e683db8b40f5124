import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Creates a folder and its missing parents, all with `mode`. Node's own recursive mkdir never returns below folders
 * such as /proc, which exist but in which nothing can be created.
 */
export async function makeFolder(path: string, mode = 0o777): Promise<void> {
  const parent = dirname(path);
  if (await isMissing(makeOne(path, mode))) {
    if (parent !== path) await makeFolder(parent, mode);
    if (await isMissing(makeOne(path, mode))) throw new Error(`no folder can be made in ${parent}`);
  }
}

async function isMissing(making: Promise<void>): Promise<boolean> {
  try {
    await making;
    return false;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return true;
    throw error;
  }
}

async function makeOne(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const isThere = error instanceof Error && 'code' in error && (error.code === 'EEXIST' || error.code === 'EROFS');
    if (!isThere || !(await stat(path).catch(() => undefined))?.isDirectory()) throw error;
  }
}
