import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Where the agent of `flotilla up` keeps its files. Started by root it runs proxies as users of their own, and these
 * must be able to pass through the folders above their files: below a closed one (root's home) the agent moves out.
 */
export async function deriveAgentDir(dataDir: string, isRoot: boolean): Promise<string> {
  if (!isRoot || !(await isBelowClosedFolder(dataDir))) return join(dataDir, 'agent');
  return `/var/lib/flotilla-up-${createHash('sha256').update(dataDir).digest('hex').slice(0, 8)}`;
}

async function isBelowClosedFolder(path: string): Promise<boolean> {
  for (let dir = path; ; dir = dirname(dir)) {
    if (((await stat(dir)).mode & 0o001) === 0) return true;
    if (dir === dirname(dir)) return false;
  }
}
