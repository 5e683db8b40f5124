import { randomInt } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { type FileHandle, lstat, open, readdir, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Envoy multiplies `--base-id` by ten to number its shared memory and sockets. */
export const BASE_ID_LIMIT = 200_000;
const SHARED_MEMORY_DIR = '/dev/shm';

/**
 * Claims base ids, which are unique on the host across agents. A claim creates a file that must not exist yet. It is in the
 * folder of shared memory, so a reboot removes both claims and segments.
 */
export interface BaseIds {
  claim(): Promise<number>;
  /** Deletes the claim and the shared memory that Envoy has left. */
  release(baseId: number): Promise<void>;
  /** Releases unused claims of this owner, because an agent may have died between a claim and its record. */
  sweep(used: ReadonlySet<number>): Promise<void>;
}

/** `owner` is the data folder of the agent. It distinguishes the claims of agents. */
export function createBaseIds(
  owner: string,
  dir: string = existsSync(SHARED_MEMORY_DIR) ? SHARED_MEMORY_DIR : tmpdir(),
): BaseIds {
  const ids: BaseIds = {
    async claim() {
      for (let attempt = 0; attempt < 100; attempt += 1) {
        const baseId = randomInt(1, BASE_ID_LIMIT);
        if (await isThere(join(dir, sharedMemoryName(baseId)))) continue;
        try {
          await writeFile(join(dir, claimName(baseId)), owner, { flag: 'wx', mode: 0o600 });
          return baseId;
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        }
      }
      throw new Error(`no free base id for Envoy in ${dir}`);
    },
    async release(baseId) {
      const segment = sharedMemoryName(baseId);
      for (const name of await readdir(dir)) {
        if (name === segment || name === claimName(baseId)) await unlink(join(dir, name)).catch(ignoreMissing);
      }
    },
    async sweep(used) {
      for (const name of await readdir(dir)) {
        const baseId = Number(CLAIM.exec(name)?.[1] ?? Number.NaN);
        if (Number.isNaN(baseId) || used.has(baseId)) continue;
        if ((await readClaim(join(dir, name))) === owner) await ids.release(baseId);
      }
    },
  };
  return ids;
}

/** A claim contains a path. */
const CLAIM_MAX_BYTES = 4_096;
const CLAIM = /^flotilla_base_id_(\d+)$/;

/**
 * Envoy's shared segment (source/server/hot_restart_impl.h): size, version, two mutexes of 40 bytes, flags. The first
 * flag means that a child is being initialized. It stays set if that child dies, and the parent then refuses other
 * children.
 */
const SEGMENT_BYTES = 104;
const FLAGS_OFFSET = 96;

/**
 * Lets a parent accept another child. Returns false if the segment is missing, has an unknown layout, or does not belong to
 * the user `uid`; another user could have created a link to any file here.
 */
export async function clearInitializing(
  baseId: number,
  uid: number | undefined,
  dir: string = SHARED_MEMORY_DIR,
): Promise<boolean> {
  try {
    const file = await openOwn(join(dir, sharedMemoryName(baseId)), constants.O_RDWR, uid);
    if (!file) return false;
    try {
      const header = Buffer.alloc(8);
      await file.read(header, 0, 8, 0);
      const { size } = await file.stat();
      if (size !== SEGMENT_BYTES || header.readBigUInt64LE() !== BigInt(SEGMENT_BYTES)) return false;
      await file.write(Buffer.alloc(8), 0, 8, FLAGS_OFFSET);
      return true;
    } finally {
      await file.close();
    }
  } catch {
    return false;
  }
}

/** Opens a file of the user. Rejects links, pipes and files of other users, because every user may write to the folder. */
async function openOwn(path: string, flags: number, uid: number | undefined): Promise<FileHandle | undefined> {
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  const facts = await file.stat();
  if (facts.isFile() && facts.nlink === 1 && facts.uid === uid) return file;
  await file.close();
  return undefined;
}

/** Returns the owner of a claim, or undefined if another user has created it. */
async function readClaim(path: string): Promise<string | undefined> {
  const file = await openOwn(path, constants.O_RDONLY, process.getuid?.()).catch(() => undefined);
  try {
    const { bytesRead, buffer } = (await file?.read(Buffer.alloc(CLAIM_MAX_BYTES))) ?? {
      bytesRead: 0,
      buffer: Buffer.of(),
    };
    return file && buffer.subarray(0, bytesRead).toString();
  } finally {
    await file?.close();
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function claimName(baseId: number): string {
  return `flotilla_base_id_${baseId}`;
}

function sharedMemoryName(baseId: number): string {
  return `envoy_shared_memory_${baseId * 10}`;
}
