import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '@flotilla/kit';
import type { ServiceLayout } from '@flotilla/proto';

const KEPT = 3;
const CHUNK_BYTES = 1024 * 1024;
const INTERVAL_MS = 5_000;
const LIMIT_BYTES = 50 * 1024 * 1024;

export interface LogRotationOptions {
  /** The services whose logs are looked at. */
  readonly list: () => Iterable<{ readonly serviceId: string; readonly layout: ServiceLayout }>;
  /** 50 MiB by default. */
  readonly limitBytes: number | undefined;
  readonly logger: Logger;
}

/** Looks at the logs of all services every five seconds, until it is closed. A service whose logs cannot be cut keeps nobody from the others. */
export class LogRotation {
  readonly #options: LogRotationOptions;
  readonly #timer: NodeJS.Timeout;
  #rounds: Promise<void> = Promise.resolve();

  constructor(options: LogRotationOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#rounds = this.#rounds.then(() => this.#round());
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  /** Resolves once nothing is being cut. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#rounds;
  }

  async #round(): Promise<void> {
    const { list, limitBytes = LIMIT_BYTES, logger } = this.#options;
    for (const { layout, serviceId } of list()) {
      await rotateLogs(layout, limitBytes).catch((error: unknown) => {
        logger.warn({ event: 'log.rotation_failed', service: serviceId, err: error }, 'logs are not cut');
      });
    }
  }
}

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
