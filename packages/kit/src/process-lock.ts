import { createHash, randomBytes } from 'node:crypto';
import { link, rm, writeFile } from 'node:fs/promises';
import { sleep } from './abort.ts';
import { readFileIfThere } from './atomic-file.ts';
import { isProcessRef, isSameProcess, type ProcessRef, readProcess } from './process-ref.ts';

const LOCK_TIMEOUT_MS = 60_000;
const POLL_MS = 50;
/** Pause after the lock existed when we tried to create it but was gone when we read it. */
const RETRY_MS = 5;
/** A takeover needs only a moment, unless the process doing it is stopped. */
const TAKEOVER_TIMEOUT_MS = 5000;
/** How long a lock file may be empty: on file systems without links its holder creates it before writing it. */
const WRITTEN_WITHIN_MS = 1000;

/** Runs `work` while no other process runs under the same file. Takes over a lock whose holder has died. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  let lock = await tryFileLock(file);
  while ('holder' in lock) {
    if (performance.now() > deadline) throw new Error(`${file} is held by process ${lock.holder.pid} for too long`);
    await sleep(POLL_MS);
    lock = await tryFileLock(file);
  }
  try {
    return await work();
  } finally {
    await lock.unlock();
  }
}

/**
 * Creates a lock file that names this process, or returns the holder of the existing one. Ignores a lock whose process
 * is gone. If several processes ask at the same moment, one gets the lock.
 */
export async function tryFileLock(file: string): Promise<{ holder: ProcessRef } | { unlock: () => Promise<void> }> {
  const deadline = performance.now() + TAKEOVER_TIMEOUT_MS;
  for (;;) {
    const found = await readLock(file);
    if (found?.holder) return { holder: found.holder };
    if (found) {
      const other = await takeAway(file, found.text);
      if (other && performance.now() > deadline) return { holder: other };
      if (other) await sleep(POLL_MS);
    } else if (await makeLock(file)) return { unlock: () => rm(file, { force: true }) };
    // Reached for a dangling link.
    else if (performance.now() > deadline) throw new Error(`${file} can be neither read nor made`);
    else await sleep(RETRY_MS);
  }
}

/**
 * Deletes a lock whose holder has died. Between our check and the deletion another process may delete the lock and
 * create its own. Therefore the right to delete is itself a lock, named after the content, which is unique. If its
 * holder dies, it is taken over like any other lock. Returns the process that is about to delete it instead.
 */
async function takeAway(file: string, text: string): Promise<ProcessRef | undefined> {
  const right = `${stemOf(file)}.${createHash('sha256').update(text).digest('hex').slice(0, 16)}.takeover`;
  const lock = await tryFileLock(right);
  if ('holder' in lock) return lock.holder;
  try {
    if ((await readFileIfThere(file))?.toString() === text) await rm(file, { force: true });
    return undefined;
  } finally {
    await lock.unlock();
  }
}

/** A takeover lock is named after the original lock, not after the previous takeover, so names do not grow. */
function stemOf(file: string): string {
  return file.replace(/\.[0-9a-f]{16}\.takeover$/, '');
}

async function makeLock(file: string): Promise<boolean> {
  const nonce = randomBytes(8).toString('hex');
  const text = JSON.stringify({ ...(readProcess(process.pid) ?? { pid: process.pid, startTime: '' }), nonce });
  const own = `${file}.${nonce}.tmp`;
  try {
    await writeFile(own, text, { mode: 0o600, flag: 'wx' });
    return await isDone(link(own, file));
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP')) throw error;
    return await isDone(writeFile(file, text, { mode: 0o600, flag: 'wx' }));
  } finally {
    await rm(own, { force: true });
  }
}

async function isDone(making: Promise<void>): Promise<boolean> {
  try {
    await making;
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function readLock(file: string): Promise<{ text: string; holder: ProcessRef | undefined } | undefined> {
  const deadline = performance.now() + WRITTEN_WITHIN_MS;
  for (;;) {
    const text = (await readFileIfThere(file))?.toString();
    if (text === undefined) return undefined;
    if (text !== '' || performance.now() > deadline) return { text, holder: parseHolder(text) };
    await sleep(10);
  }
}

function parseHolder(text: string): ProcessRef | undefined {
  try {
    const read: unknown = JSON.parse(text);
    return isProcessRef(read) && isSameProcess(read) ? { pid: read.pid, startTime: read.startTime } : undefined;
  } catch {
    return undefined;
  }
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
