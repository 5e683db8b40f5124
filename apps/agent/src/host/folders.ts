import { chmod, chown, mkdir, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { ServiceLayout } from '@flotilla/proto';
import type { ServiceIdentity } from './identity.ts';

/**
 * Makes the folders of a service. The runtime folder and the tenant's files belong to the service's user and are shut to
 * everybody else; the rest belongs to the agent and is readable for that user where it must read.
 */
export async function prepareFolders(layout: ServiceLayout, identity: ServiceIdentity | undefined): Promise<void> {
  await mkdir(dirname(layout.runtimeDir), { recursive: true, mode: 0o711 });
  await mkdir(dirname(layout.dataDir), { recursive: true, mode: 0o711 });
  const mine = identity ? { uid: process.getuid?.() ?? 0, gid: identity.gid } : undefined;
  await ownFolder(layout.runtimeDir, 0o700, identity);
  await ownFolder(layout.dataDir, identity ? 0o750 : 0o700, mine);
  await ownFolder(layout.filesDir, 0o700, identity);
  await ownFolder(layout.logDir, 0o700, undefined);
  if (identity) {
    // Passing through is all that the service's user may do in the folders above its own
    for (const dir of [dirname(layout.runtimeDir), dirname(layout.dataDir), dirname(dirname(layout.dataDir))]) {
      await addSearchPermission(dir);
    }
  }
}

export async function removeFolders(layout: ServiceLayout): Promise<void> {
  await rm(layout.runtimeDir, { recursive: true, force: true });
  await rm(layout.dataDir, { recursive: true, force: true });
}

/** The first folder on the way to `path` that users other than its owner cannot pass through. */
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

async function ownFolder(path: string, mode: number, owner: ServiceIdentity | undefined): Promise<void> {
  await mkdir(path, { recursive: true, mode });
  if (owner) await chown(path, owner.uid, owner.gid);
  await chmod(path, mode);
}

async function addSearchPermission(path: string): Promise<void> {
  const { mode, uid } = await stat(path);
  if ((mode & 0o001) === 0 && uid === process.getuid?.()) await chmod(path, (mode & 0o7777) | 0o011);
}
