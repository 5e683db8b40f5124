import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Envoy multiplies `--base-id` by ten to number its shared memory and sockets. */
export const BASE_ID_LIMIT = 200_000;
const SHARED_MEMORY_DIR = '/dev/shm';

/**
 * Base ids are unique per host, whichever agent hands them out: one is claimed by making a file that must not exist yet,
 * in the folder of shared memory, where a restart of the host clears claims and segments alike.
 */
export interface BaseIds {
  claim(): Promise<number>;
  /** Gives it back and removes the shared memory that Envoy leaves behind. */
  release(baseId: number): Promise<void>;
  /** Releases what this owner has claimed and does not use: an agent may die between a claim and its note. */
  sweep(used: ReadonlySet<number>): Promise<void>;
}

/** `owner` tells claims of one agent from another's: its data folder. */
export function createBaseIds(
  owner: string,
  dir: string = existsSync(SHARED_MEMORY_DIR) ? SHARED_MEMORY_DIR : tmpdir(),
): BaseIds {
  const ids: BaseIds = {
    async claim() {
      for (let attempt = 0; attempt < 100; attempt += 1) {
        const baseId = randomInt(1, BASE_ID_LIMIT);
        if (existsSync(join(dir, sharedMemoryName(baseId)))) continue;
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
        if (name === segment || name === claimName(baseId)) await rm(join(dir, name), { force: true });
      }
    },
    async sweep(used) {
      for (const name of await readdir(dir)) {
        const baseId = Number(CLAIM.exec(name)?.[1] ?? Number.NaN);
        if (Number.isNaN(baseId) || used.has(baseId)) continue;
        const claimedBy = await readFile(join(dir, name), 'utf8').catch(() => undefined);
        if (claimedBy === owner) await ids.release(baseId);
      }
    },
  };
  return ids;
}

const CLAIM = /^flotilla_base_id_(\d+)$/;

/**
 * Envoy's shared segment (source/server/hot_restart_impl.h): size, version, two mutexes of 40 bytes, flags. The first flag says
 * that a child is being initialised; it stays set when that child dies, and then the parent refuses every other.
 */
const SEGMENT_BYTES = 104;
const FLAGS_OFFSET = 96;

/** Lets a parent accept another child. False where the segment is not there or not of the known shape. */
export async function clearInitializing(baseId: number, dir: string = SHARED_MEMORY_DIR): Promise<boolean> {
  try {
    const file = await open(join(dir, sharedMemoryName(baseId)), 'r+');
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

function claimName(baseId: number): string {
  return `flotilla_base_id_${baseId}`;
}

function sharedMemoryName(baseId: number): string {
  return `envoy_shared_memory_${baseId * 10}`;
}
