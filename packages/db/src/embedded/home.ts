import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerUser } from './binaries.ts';

/** The folder for the files if the server's user cannot access the data folder. */
const ELSEWHERE = '/var/lib/flotilla';

/**
 * The folder for the cluster and, if they must be copied, the programs. It is the data folder itself, unless that is
 * below a private one (root's home) which the unprivileged user of the server cannot traverse. Then it is a system
 * folder for this data folder alone, which starts empty when the data folder is recreated.
 */
export async function prepareHome(dataDir: string, user: ServerUser | undefined): Promise<string> {
  if (!user || spawnSync('test', ['-x', dataDir], { uid: user.uid, gid: user.gid }).status === 0) return dataDir;
  const home = join(ELSEWHERE, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  if (!existsSync(join(dataDir, 'password'))) await rm(home, { recursive: true, force: true });
  await mkdir(home, { recursive: true });
  // Independent of the umask, because the server's user must traverse them.
  for (const dir of [ELSEWHERE, home]) await chmod(dir, 0o711);
  return home;
}
