import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, tryFileLock } from '@flotilla/kit';

/**
 * Keeps a second run off the same data folder: two agents would fight over its services. The lock is a file in it, `name`,
 * that names the process that holds it. Makes the folder. Returns the holder, or a function that unlocks.
 */
export async function lockDataDir(
  dataDir: string,
  name: string,
): Promise<{ holder: number } | { unlock: () => Promise<void> }> {
  await makeFolder(dataDir, 0o711);
  const path = join(dataDir, name);
  for (;;) {
    const lock = await tryFileLock(path);
    if ('unlock' in lock) return lock;
    if (lock.holder.pid !== process.pid) return { holder: lock.holder.pid };
    // Of this very process: an earlier run in it that has not come to its end.
    await rm(path, { force: true });
  }
}
