import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileIfThere, removeStaged } from '@flotilla/kit';
import { deriveServiceLayout, type ServiceLayout } from '@flotilla/proto';
import { findClosedFolder, prepareFolders } from './folders.ts';
import { deriveServiceIdentity, type ServiceIdentity } from './identity.ts';
import { StateFile } from './state-file.ts';
import type { ServiceHostOptions } from './types.ts';

/** What one service has on this host: its folders, its user, what the agent knows of it. */
export interface ServiceHome {
  readonly serviceId: string;
  readonly layout: ServiceLayout;
  /** Undefined: its programs run as the agent itself. */
  readonly identity: ServiceIdentity | undefined;
  readonly state: StateFile;
  /** A folder that its user cannot pass through: nothing of it can be started. */
  readonly closedFolder: string | undefined;
}

export interface ServiceHomeOptions extends Pick<ServiceHostOptions, 'dirs' | 'logger'> {
  readonly serviceId: string;
  readonly nodeId: string;
  /** Numbers of the users of the services that are here. */
  readonly takenUids: ReadonlySet<number>;
}

/** Makes the folders of a service, or finds them as an earlier agent left them. Rejects where they cannot be made. */
export async function openServiceHome(options: ServiceHomeOptions): Promise<ServiceHome> {
  const { dirs, serviceId, nodeId } = options;
  const layout = deriveServiceLayout(dirs, serviceId);
  const found = deriveServiceIdentity(dirs.dataDir, layout.key, options.takenUids);
  await prepareFolders(layout, found);
  const closedFolder =
    found && ((await findClosedFolder(layout.dataDir)) ?? (await findClosedFolder(layout.runtimeDir)));
  await removeStaged(layout.dataDir);
  const state = await openState(layout, { serviceId, nodeId, uid: found?.uid }, options);
  // The user of a service stays, also when another one's leaving would free a better number
  const uid = state.value.uid;
  const identity = found && uid !== undefined ? { uid, gid: uid } : found;
  if (identity?.uid !== found?.uid) await prepareFolders(layout, identity);
  await state.update({ nodeId, uid: identity?.uid });
  return { serviceId, layout, identity, state, closedFolder };
}

function openState(
  layout: ServiceLayout,
  owner: { readonly serviceId: string; readonly nodeId: string; readonly uid: number | undefined },
  { logger }: Pick<ServiceHomeOptions, 'logger'>,
): Promise<StateFile> {
  const initial = {
    ...owner,
    nextUnit: 1,
    instances: [],
    lastGood: undefined,
    appliedGeneration: '0',
    shield: undefined,
    policyDigest: '',
  };
  return StateFile.open(stateFileIn(layout.dataDir), initial, logger);
}

/** Keys of the services that have a folder here, wanted or not. */
export async function findServiceKeys(dataDir: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'services')).catch(() => [] as string[]);
  return names.filter((name) => /^[0-9a-f]{12}$/.test(name));
}

/** Whose folder it is; undefined when its state cannot be read. */
export async function readOwner(
  dataDir: string,
  key: string,
): Promise<{ readonly serviceId: string; readonly nodeId: string } | undefined> {
  const bytes = await readFileIfThere(stateFileIn(join(dataDir, 'services', key)));
  try {
    const { serviceId, nodeId } = JSON.parse(bytes?.toString() ?? 'null') as { serviceId?: unknown; nodeId?: unknown };
    return typeof serviceId === 'string' ? { serviceId, nodeId: typeof nodeId === 'string' ? nodeId : '' } : undefined;
  } catch {
    return undefined;
  }
}

/** Removes a folder without a readable state: nothing can run from it. */
export async function removeRemains(dirs: ServiceHostOptions['dirs'], key: string): Promise<void> {
  await rm(join(dirs.dataDir, 'services', key), { recursive: true, force: true });
  await rm(join(dirs.runtimeDir, key), { recursive: true, force: true });
}

function stateFileIn(serviceDataDir: string): string {
  return join(serviceDataDir, 'state.json');
}
