import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeLockFile, sleep, withFileLock } from '@flotilla/kit';
import { isProcessRef, isSameProcess, type ProcessRef, readProcess } from './host/units/proc.ts';

/** An empty file is a holder between making and writing it, or one that was killed there. */
const WRITTEN_WITHIN_MS = 1000;

/**
 * Keeps a second run off the same data folder: two agents would fight over its services. The lock is a file in it, `name`,
 * that names the process that holds it; one whose process is gone is worth nothing. Of processes that ask at the same
 * moment one gets it. Makes the folder. Returns the holder, or a function that unlocks.
 */
export async function lockDataDir(
  dataDir: string,
  name: string,
): Promise<{ holder: number } | { unlock: () => Promise<void> }> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const path = join(dataDir, name);
  const own = readProcess(process.pid) ?? { pid: process.pid, startTime: '' };
  for (;;) {
    if (await makeLockFile(path, JSON.stringify(own))) return { unlock: () => rm(path, { force: true }) };
    const found = await readLock(path);
    if (found === 'held by nobody') await takeAway(path);
    else if (found !== 'no lock') return { holder: found.pid };
  }
}

/** By one process at a time, which looks once more: what another one has made since the first look stays. */
async function takeAway(path: string): Promise<void> {
  await withFileLock(`${path}.takeover`, async () => {
    if ((await readLock(path)) === 'held by nobody') await rm(path, { force: true });
  });
}

async function readLock(path: string): Promise<ProcessRef | 'held by nobody' | 'no lock'> {
  const deadline = performance.now() + WRITTEN_WITHIN_MS;
  for (;;) {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => error);
    if (text instanceof Error && text.code === 'ENOENT') return 'no lock';
    if (text instanceof Error) throw text;
    if (text === '' && performance.now() < deadline) {
      await sleep(10);
      continue;
    }
    const holder = parseHolder(text);
    return holder && holder.pid !== process.pid && isSameProcess(holder) ? holder : 'held by nobody';
  }
}

function parseHolder(text: string): ProcessRef | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isProcessRef(read) ? read : undefined;
  } catch {
    return undefined;
  }
}
