import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isSameProcess, type ProcessRef, readProcess } from './host/units/proc.ts';

/**
 * Keeps a second run off the same data folder: two agents would fight over its services. The lock is a file in it, `name`,
 * that names the process that holds it; one whose process is gone is worth nothing. Makes the folder. Returns the holder,
 * or a function that unlocks.
 */
export async function lockDataDir(
  dataDir: string,
  name: string,
): Promise<{ holder: number } | { unlock: () => Promise<void> }> {
  await mkdir(dataDir, { recursive: true, mode: 0o711 });
  const path = join(dataDir, name);
  for (;;) {
    try {
      const file = await open(path, 'wx', 0o600);
      await file.writeFile(JSON.stringify(readProcess(process.pid) ?? { pid: process.pid, startTime: '' }));
      await file.close();
      return { unlock: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readHolder(path);
    if (holder && holder.pid !== process.pid && isSameProcess(holder)) return { holder: holder.pid };
    await rm(path, { force: true });
  }
}

async function readHolder(path: string): Promise<ProcessRef | undefined> {
  try {
    const { pid, startTime } = JSON.parse(await readFile(path, 'utf8')) as Partial<ProcessRef>;
    return typeof pid === 'number' && typeof startTime === 'string' ? { pid, startTime } : undefined;
  } catch {
    return undefined;
  }
}
