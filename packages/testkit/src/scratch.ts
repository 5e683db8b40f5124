import { readFileSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';

const MEMORY_FOLDER = '/dev/shm';
/** Far more than the databases of all tests that run at the same time, and their logs. */
const MEMORY_NEEDED_BYTES = 4 * 1024 ** 3;
/** As in most containers. Programs are copied there where their users cannot reach them in the clone. */
const FORBIDS_PROGRAMS = /^\S+ \/dev\/shm \S+ \S*\bnoexec\b/m;

/**
 * Where databases of tests go: in memory where there is plenty. A database is 700 files, and ext4 looks at every
 * file that was deleted within the last minute before it makes one: where databases come and go, each takes half a second
 * there and 0.04 here.
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
