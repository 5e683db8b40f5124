import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerUser } from './binaries.ts';

/** Where servers of data folders that their user cannot reach keep their files. */
const ELSEWHERE = '/var/lib/flotilla';

/**
 * The folder of the cluster and, where they must be copied, of the programs. It is the data folder itself, unless that
 * lies under a closed one (root's home) and the unprivileged user of the server cannot get through: then it is a folder
 * of the system that belongs to this data folder alone, and begins anew when the data folder does.
 */
export async function prepareHome(dataDir: string, user: ServerUser | undefined): Promise<string> {
  if (!user || spawnSync('test', ['-x', dataDir], { uid: user.uid, gid: user.gid }).status === 0) return dataDir;
  const home = join(ELSEWHERE, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  if (!existsSync(join(dataDir, 'password'))) await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  // Whatever the umask: the server's user goes through them.
  for (const dir of [ELSEWHERE, home]) await chmod(dir, 0o711);
  return home;
}
