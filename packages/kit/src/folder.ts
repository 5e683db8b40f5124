import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it that are missing; `mode` is theirs too. Node's own recursive one never comes to an end below
 * folders such as /proc, in which nothing can be made although they are there.
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
