import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readFileIfThere, removeStaged } from '@flotilla/kit';
import { deriveServiceLayout, type ServiceLayout } from '@flotilla/proto';
import { findClosedFolder, prepareFolders } from './folders.ts';
import type { ServiceIdentity } from './identity.ts';
import { removeTree } from './open-folder.ts';
import type { ServiceUsers } from './service-users.ts';
import { type ServiceState, StateFile } from './state-file.ts';
import type { ServiceHostOptions } from './types.ts';

/** The folders, the user and the state of one service on this host. */
export interface ServiceHome {
  readonly serviceId: string;
  readonly layout: ServiceLayout;
  /** Undefined if the programs run as the agent's user. */
  readonly identity: ServiceIdentity | undefined;
  readonly state: StateFile;
  /** A folder that the user cannot traverse. If there is one, nothing can be started. */
  readonly closedFolder: string | undefined;
}

export interface ServiceHomeOptions extends Pick<ServiceHostOptions, 'dirs' | 'logger'> {
  readonly serviceId: string;
  readonly nodeId: string;
  readonly users: ServiceUsers;
}

/** Creates the folders of a service, or finds existing ones. Rejects if they cannot be created. */
export async function openServiceHome(options: ServiceHomeOptions): Promise<ServiceHome> {
  const { dirs, serviceId, nodeId } = options;
  const layout = deriveServiceLayout(dirs, serviceId);
  const state = await openState(layout, { serviceId, nodeId, uid: undefined }, options);
  const identity = await options.users.identityOf(layout.key, state.value.uid);
  await prepareFolders(layout, identity);
  const closedFolder =
    identity && ((await findClosedFolder(layout.dataDir)) ?? (await findClosedFolder(layout.runtimeDir)));
  await removeStaged(layout.dataDir);
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
    shieldStandby: undefined,
    policyDigest: '',
  };
  return StateFile.open(stateFileIn(layout.dataDir), initial, logger);
}

/** Returns the keys of the services with a folder here, desired or not. */
export async function findServiceKeys(dataDir: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'services')).catch(() => [] as string[]);
  return names.filter((name) => /^[0-9a-f]{12}$/.test(name));
}

/** Returns the service to which a folder belongs, or undefined if its state cannot be read. */
export async function readOwner(
  dataDir: string,
  key: string,
): Promise<{ readonly serviceId: string; readonly nodeId: string; readonly uid: number | undefined } | undefined> {
  const bytes = await readFileIfThere(stateFileIn(join(dataDir, 'services', key)));
  try {
    const { serviceId, nodeId, uid } = JSON.parse(bytes?.toString() ?? 'null') as Partial<
      Record<keyof ServiceState, unknown>
    >;
    if (typeof serviceId !== 'string') return undefined;
    return {
      serviceId,
      nodeId: typeof nodeId === 'string' ? nodeId : '',
      uid: typeof uid === 'number' ? uid : undefined,
    };
  } catch {
    return undefined;
  }
}

/** Deletes the folders of a service without a readable state. */
export async function removeRemains(dirs: ServiceHostOptions['dirs'], key: string): Promise<void> {
  await removeTree(join(dirs.dataDir, 'services', key));
  await removeTree(join(dirs.runtimeDir, key));
}

function stateFileIn(serviceDataDir: string): string {
  return join(serviceDataDir, 'state.json');
}
