import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Logger } from '@flotilla/kit';
import type { ServiceLayout } from '@flotilla/proto';
import { type OpenFolder, withFolder } from './open-folder.ts';

const KEPT = 3;
const CHUNK_BYTES = 1024 * 1024;
/** Bounds the copy to this multiple of the limit, because a sparse file may have any size. */
const COPY_MAX_FACTOR = 4;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL;
const INTERVAL_MS = 5_000;
/** Number of names per folder that a round checks, because a tenant may create any number of files. */
const NAMES_MAX = 1_000;
const LIMIT_BYTES = 50 * 1024 * 1024;

export interface LogRotationOptions {
  /** The services whose logs are rotated. */
  readonly list: () => Iterable<{ readonly serviceId: string; readonly layout: ServiceLayout }>;
  /** Other folders with logs. */
  readonly folders: readonly string[];
  /** Default: 50 MiB. */
  readonly limitBytes: number | undefined;
  readonly logger: Logger;
}

/**
 * Checks the logs of all services every five seconds until it is closed. A failure in one service does not affect the others.
 * A round that takes longer than five seconds delays the next one.
 */
export class LogRotation {
  readonly #options: LogRotationOptions;
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> | undefined;

  constructor(options: LogRotationOptions) {
    this.#options = options;
    this.#timer = setInterval(() => {
      this.#round ??= this.#rotateAll().finally(() => {
        this.#round = undefined;
      });
    }, INTERVAL_MS);
    this.#timer.unref();
  }

  /** Resolves when no rotation is running. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
  }

  async #rotateAll(): Promise<void> {
    const { list, folders, limitBytes = LIMIT_BYTES, logger } = this.#options;
    for (const folder of folders) {
      await rotateFolder(folder, limitBytes).catch((error: unknown) => {
        logger.warn({ event: 'log.rotation_failed', folder, err: error }, 'cannot rotate logs; trying again');
      });
    }
    for (const { layout, serviceId } of list()) {
      await rotateLogs(layout, limitBytes).catch((error: unknown) => {
        logger.warn(
          { event: 'log.rotation_failed', service: serviceId, err: error },
          'cannot rotate the logs of a service; trying again',
        );
      });
    }
  }
}

/**
 * Rotates the logs of a service that are larger than `limitBytes`. The content is copied to `<name>.1`; older copies are
 * renamed, and the newest three are kept. The file itself is truncated, so that its writer can keep the descriptor. Writers
 * must append, as Envoy and the agent's redirections do. Lines that are written at the end of the copy may be lost.
 *
 * Every file in the tenant's folder counts as a log, because access logs may have any name. At most `namesMax` names per folder
 * are checked (1,000 by default).
 */
export async function rotateLogs(layout: ServiceLayout, limitBytes: number, namesMax = NAMES_MAX): Promise<number> {
  let rotated = 0;
  for (const dir of [layout.logDir, layout.filesDir]) rotated += await rotateFolder(dir, limitBytes, namesMax);
  return rotated;
}

async function rotateFolder(dir: string, limitBytes: number, namesMax = NAMES_MAX): Promise<number> {
  let rotated = 0;
  await withFolder(dir, async (folder) => {
    for (const name of await folder.names(namesMax)) {
      const isOld = /\.\d$/.test(name);
      if (!isOld && (await rotateFile(folder, name, limitBytes))) rotated += 1;
    }
  });
  return rotated;
}

async function rotateFile(folder: OpenFolder, name: string, limitBytes: number): Promise<boolean> {
  // The tenant's folder may contain links and hard links to files elsewhere.
  const file = await folder.openFile(name, constants.O_RDWR).catch(() => undefined);
  if (!file) return false;
  try {
    const facts = await file.stat();
    if (!facts.isFile() || facts.nlink !== 1 || facts.size <= limitBytes) return false;
    await folder.removeTree(`${name}.${KEPT}`);
    for (let n = KEPT - 1; n >= 1; n -= 1) await folder.rename(`${name}.${n}`, `${name}.${n + 1}`).catch(ignoreMissing);
    const copy = await folder.openFile(`${name}.1`, NEW_FILE, facts.mode & 0o777);
    try {
      await copyBytes(file, copy, { from: Math.max(0, facts.size - COPY_MAX_FACTOR * limitBytes), to: facts.size });
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

async function copyBytes(
  source: FileHandle,
  copy: FileHandle,
  { from, to }: { from: number; to: number },
): Promise<void> {
  const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, to - from));
  for (let at = from; at < to; ) {
    const { bytesRead } = await source.read(chunk, 0, Math.min(chunk.length, to - at), at);
    if (bytesRead === 0) return;
    await copy.write(chunk, 0, bytesRead);
    at += bytesRead;
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
