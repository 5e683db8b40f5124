import { chmod, mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ServiceLayout } from '@flotilla/proto';
import type { ServiceIdentity } from './identity.ts';
import { ownFolder, removeTree } from './open-folder.ts';

/**
 * Creates the folders of a service. The service's user owns the folder of its sockets and the folder of the tenant's files.
 * The agent owns all others; the user may traverse and read the runtime folder and the data folder. Other users have no access.
 */
export async function prepareFolders(layout: ServiceLayout, identity: ServiceIdentity | undefined): Promise<void> {
  await mkdir(dirname(layout.runtimeDir), { recursive: true, mode: 0o711 });
  await mkdir(dirname(layout.dataDir), { recursive: true, mode: 0o711 });
  const mine = identity ? { uid: process.getuid?.() ?? 0, gid: identity.gid } : undefined;
  const shared = identity ? 0o750 : 0o700;
  await ownFolder(layout.runtimeDir, shared, mine);
  await ownFolder(layout.socketDir, 0o700, identity);
  await ownFolder(layout.dataDir, shared, mine);
  await ownFolder(layout.filesDir, 0o700, identity);
  await ownFolder(layout.logDir, 0o700, undefined);
  if (identity) {
    // The service's user may only traverse the parent folders.
    for (const dir of [dirname(layout.runtimeDir), dirname(layout.dataDir), dirname(dirname(layout.dataDir))]) {
      await addSearchPermission(dir);
    }
  }
}

export async function removeFolders(layout: ServiceLayout): Promise<void> {
  await removeTree(layout.runtimeDir);
  await removeTree(layout.dataDir);
}

/** Returns the first folder on the way to `path` that other users cannot traverse. */
export async function findClosedFolder(path: string): Promise<string | undefined> {
  const way: string[] = [];
  for (let dir = dirname(path); ; dir = dirname(dir)) {
    way.unshift(dir);
    if (dir === dirname(dir)) break;
  }
  for (const dir of way) {
    if (((await stat(dir)).mode & 0o001) === 0) return dir;
  }
  return undefined;
}

async function addSearchPermission(path: string): Promise<void> {
  const { mode, uid } = await stat(path);
  if ((mode & 0o001) === 0 && uid === process.getuid?.()) await chmod(path, (mode & 0o7777) | 0o011);
}
