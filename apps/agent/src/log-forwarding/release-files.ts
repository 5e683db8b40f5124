import { chmod, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, writeFileAtomically } from '@flotilla/kit';
import type { RenderedFile } from './types.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Writes the files of a release, of which some are secret. Rejects without a trace if the disk is full. */
export async function writeRelease(dir: string, files: readonly RenderedFile[]): Promise<void> {
  try {
    await makeFolder(dir, FOLDER_MODE);
    for (const { name, text } of files) await writeFileAtomically(join(dir, name), text, { mode: FILE_MODE });
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
}

/** Describes how a release differs from its files. Undefined: it does not. */
export async function findDrift(dir: string, files: readonly RenderedFile[]): Promise<string | undefined> {
  const names = await readdir(dir).catch(() => undefined);
  if (names === undefined) return 'the folder of the configuration was deleted';
  const extra = names.find((name) => !files.some((file) => file.name === name));
  if (extra !== undefined) return `${extra} was added`;
  if (((await stat(dir)).mode & 0o777) !== FOLDER_MODE) return 'the mode of the folder was changed';
  for (const { name, text } of files) {
    const path = join(dir, name);
    const content = await readFile(path, 'utf8').catch(() => undefined);
    if (content === undefined) return `${name} was deleted`;
    if (content !== text) return `${name} was changed`;
    if (((await stat(path)).mode & 0o777) !== FILE_MODE) return `the mode of ${name} was changed`;
  }
  return undefined;
}

/** Puts the files of a release back. */
export async function restoreRelease(dir: string, files: readonly RenderedFile[]): Promise<void> {
  await makeFolder(dir, FOLDER_MODE);
  await chmod(dir, FOLDER_MODE);
  for (const name of await readdir(dir)) {
    if (!files.some((file) => file.name === name)) await rm(join(dir, name), { recursive: true, force: true });
  }
  for (const { name, text } of files) await writeFileAtomically(join(dir, name), text, { mode: FILE_MODE });
}

/** Returns the numbers of the releases on disk. */
export async function listReleases(dir: string): Promise<number[]> {
  const names = await readdir(dir).catch(() => [] as string[]);
  return names.filter((name) => /^\d{1,9}$/.test(name)).map(Number);
}
