import { open, readFile, rm } from 'node:fs/promises';
import { sleep } from './abort.ts';

const LOCK_TIMEOUT_MS = 60_000;

/** Whether a process with this id lives, is no zombie and, where `command` is given, runs that program. */
export async function isProcessAlive(pid: number, command?: string): Promise<boolean> {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return process.platform !== 'linux';
  const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  if (state === 'Z' || state === 'X') return false;
  return command === undefined || stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')) === command;
}

/** Runs `work` while no other process does so under the same file. A lock whose holder died is taken over. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  while (!(await tryLock(file))) {
    if (Date.now() > deadline) throw new Error(`${file} is held by another process for too long`);
    await sleep(50);
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** Makes a file that names its holder: of several that try at once, one. False where it is there already. */
export async function makeLockFile(file: string, holder: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600);
    await handle.writeFile(holder);
    await handle.close();
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    return false;
  }
}

async function tryLock(file: string): Promise<boolean> {
  if (await makeLockFile(file, String(process.pid))) return true;
  const holder = Number(await readFile(file, 'utf8').catch(() => ''));
  // An empty file is a holder between create and write: it gets its time.
  if (holder > 0 && !(await isProcessAlive(holder))) await rm(file, { force: true });
  return false;
}
