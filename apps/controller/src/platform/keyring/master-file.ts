import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Holds a new key until it replaces the current one. Written before the database changes. */
const nextOf = (path: string) => `${path}.next`;

/** The candidates for the master key, the likelier one first; empty if no file exists. */
export async function readMasterFiles(path: string): Promise<{ text: string; isNext: boolean }[]> {
  const [text, next] = await Promise.all([read(path), read(nextOf(path))]);
  return [
    ...(text === undefined ? [] : [{ text, isNext: false }]),
    ...(next === undefined ? [] : [{ text: next, isNext: true }]),
  ];
}

/** If two controllers start at once, one file wins and both read it. */
export async function createMasterFile(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const own = `${path}.${process.pid}`;
  await writeFile(own, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  await link(own, path).catch(() => undefined);
  await rm(own);
  return readFile(path, 'utf8');
}

/** Resolves when the key is synced to disk. */
export async function writeNextFile(path: string, key: Buffer): Promise<void> {
  const file = await open(nextOf(path), 'w', 0o600);
  try {
    await file.writeFile(`${key.toString('hex')}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await syncFolder(path);
}

/** Does nothing if no next file exists. */
export async function takeNextFile(path: string): Promise<void> {
  try {
    await rename(nextOf(path), path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return;
    throw error;
  }
  await syncFolder(path);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(dirname(path), 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function read(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}
