import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder, tryFileLock } from '@flotilla/kit';

/**
 * Locks the data folder, because two agents would conflict over its services. The lock is the file `name` in the folder and
 * names the process that holds it. Creates the folder. Returns the process id of the holder, or a function that unlocks.
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
    // The lock is from an earlier run in this process that did not remove it.
    await rm(path, { force: true });
  }
}
