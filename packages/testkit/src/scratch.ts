import { readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const MEMORY_FOLDER = '/dev/shm';
/** Far more than the databases and logs of all concurrent tests need. */
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3;
/** True in most containers. Programs are copied there if their users cannot access them in the clone. */
const FORBIDS_PROGRAMS = /^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m;

/**
 * The folder for test databases: in memory if there is enough. A database has 700 files, and ext4 checks every file
 * that was deleted within the last minute before it creates one: with many short-lived databases, each takes half a
 * second there and 0.04 s in memory.
 */
export function chooseScratchParent(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY_FOLDER);
    const isRoomy = Math.min(bavail * bsize, freemem()) > MEMORY_NEEDED_BYTES;
    return isRoomy && !FORBIDS_PROGRAMS.test(readFileSync('/proc/mounts', 'utf8')) ? MEMORY_FOLDER : tmpdir();
  } catch {
    return tmpdir();
  }
}
