import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceLayout } from '@flotilla/proto';

const KEPT = 3;
const CHUNK_BYTES = 1024 * 1024;

/**
 * Cuts the logs of a service that have passed `limitBytes`: the content is copied to `<name>.1` (older ones move up, at most three
 * stay) and the file itself emptied, so that whoever writes it keeps its descriptor. Lines written within the copy's last
 * moment may be lost. In the tenant's folder every file counts as a log: access logs may be called anything. Writers must append, as Envoy and the agent's own redirections do.
 */
export async function rotateLogs(layout: ServiceLayout, limitBytes: number): Promise<number> {
  let rotated = 0;
  for (const dir of [layout.logDir, layout.filesDir]) {
    for (const name of await readdir(dir).catch(() => [] as string[])) {
      const isOld = /\.\d$/.test(name);
      if (!isOld && (await rotateFile(dir, name, limitBytes))) rotated += 1;
    }
  }
  return rotated;
}

async function rotateFile(dir: string, name: string, limitBytes: number): Promise<boolean> {
  const path = join(dir, name);
  // The tenant's folder may hold links put there to make the agent empty a file elsewhere
  const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => undefined);
  if (!file) return false;
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.nlink !== 1 || facts.size <= limitBytes) return false;
    await rm(`${path}.${KEPT}`, { force: true });
    for (let n = KEPT - 1; n >= 1; n -= 1) await rename(`${path}.${n}`, `${path}.${n + 1}`).catch(ignoreMissing);
    const copy = await open(`${path}.1`, 'wx', facts.mode & 0o777);
    try {
      await copyBytes(file, copy, facts.size);
      await copy.chown(facts.uid, facts.gid);
    } finally {
      await copy.close();
    }
    await file.truncate(0);
    return true;
  } finally {
    await file.close();
  }
}

async function copyBytes(from: FileHandle, to: FileHandle, size: number): Promise<void> {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, size));
  for (let at = 0; at < size; ) {
    const { bytesRead } = await from.read(chunk, 0, Math.min(chunk.length, size - at), at);
    if (bytesRead === 0) return;
    await to.write(chunk, 0, bytesRead);
    at += bytesRead;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
