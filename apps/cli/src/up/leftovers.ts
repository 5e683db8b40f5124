import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isSameProcess, type ProcessRef, readProcess } from '@flotilla/agent/processes';
import { sleep } from '@flotilla/kit';

const STOP_GRACE_MS = 10_000;

/** Ends programs that a killed `flotilla up` left behind. Proxies stay: the agent takes them over. */
export async function stopLeftovers(dataDir: string): Promise<void> {
  for (const child of await readChildren(dataDir)) {
    if (!isSameProcess(child)) continue;
    process.kill(child.pid, 'SIGTERM');
    const deadline = Date.now() + STOP_GRACE_MS;
    while (isSameProcess(child) && Date.now() < deadline) await sleep(50);
    if (isSameProcess(child)) process.kill(child.pid, 'SIGKILL');
  }
}

/** Notes the programs that `flotilla up` started, so that a start after a crash can tidy up. */
export async function recordChildren(dataDir: string, pids: readonly number[]): Promise<void> {
  const children = pids.map(readProcess).filter((one) => one !== undefined);
  const file = childrenFile(dataDir);
  await writeFile(`${file}.new`, JSON.stringify(children), { mode: 0o600 });
  await rename(`${file}.new`, file);
}

function childrenFile(dataDir: string): string {
  return join(dataDir, 'up.pids');
}

/** A file that a lost machine left damaged, or one of an earlier version, names nobody. */
async function readChildren(dataDir: string): Promise<readonly ProcessRef[]> {
  try {
    const read: unknown = JSON.parse(await readFile(childrenFile(dataDir), 'utf8'));
    return Array.isArray(read) ? read.filter(isProcessRef) : [];
  } catch {
    return [];
  }
}

function isProcessRef(value: unknown): value is ProcessRef {
  const { pid, startTime } = (value ?? {}) as Partial<ProcessRef>;
  return typeof pid === 'number' && typeof startTime === 'string';
}
