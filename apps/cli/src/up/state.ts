import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecret, writeFileAtomically } from '@flotilla/kit';

/** The state that `flotilla up` needs at its next start. It is in the data folder with mode 0600. */
export interface UpState {
  /** The owner's password from the first start. Becomes useless when the owner changes it. */
  readonly password: string;
  /** API token of the demo's project, created at the first start. */
  readonly apiToken?: string;
  readonly project?: string;
  readonly clientId?: string;
  /** Ports and Envoy version of the demo's documents. */
  readonly seeded?: {
    readonly upstreamPort: number;
    readonly proxyPort: number;
    /** Missing in folders of older versions. */
    readonly envoyVersion?: string;
  };
}

export async function readState(dataDir: string): Promise<UpState | undefined> {
  const text = await readFile(join(dataDir, 'up.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as UpState);
}

export function createState(): UpState {
  return { password: createSecret(12) };
}

export async function writeState(dataDir: string, state: UpState): Promise<void> {
  await writeFileAtomically(join(dataDir, 'up.json'), `${JSON.stringify(state, undefined, 2)}\n`);
}

/** Files that a reset deletes. It keeps downloaded proxies, which belong to no installation. */
const RESET_FILES = ['up.json', 'controller', 'logs'];

export async function resetDataDir(dataDir: string, agentDir: string): Promise<void> {
  await rm(agentDir, { recursive: true, force: true });
  await Promise.all(RESET_FILES.map((name) => rm(join(dataDir, name), { recursive: true, force: true })));
}
