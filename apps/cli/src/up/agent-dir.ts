import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Returns the data folder of the agent. An agent of root runs each proxy as a separate user, who needs access to all parent folders
 * of its files. Below a folder without such access (root's home), the agent uses a folder in /var/lib.
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
