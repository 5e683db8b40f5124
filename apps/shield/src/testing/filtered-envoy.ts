import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { EnvoyJson } from '@flotilla/policy';
import { ensureTestEnvoy } from '@flotilla/testkit';
import { FilterProcess } from './filter-process.ts';
import { type ListenerChanges, RecordingEnvoy } from './recording-envoy.ts';

export interface FilteredEnvoyOptions {
  /** Envoy's version. */
  readonly version: string;
  readonly policy: string;
  /** Further files of the bundle, by their path next to the policy. */
  readonly files?: Readonly<Record<string, string>>;
  readonly listeners: Readonly<Record<string, ListenerChanges>>;
  /** Further clusters of Envoy. */
  readonly clusters?: readonly EnvoyJson[];
}

/** A recording Envoy and its filter in a separate folder. */
export interface FilteredEnvoy {
  readonly envoy: RecordingEnvoy;
  readonly filter: FilterProcess;
  /** Folder of the bundle. */
  readonly policyFolder: string;
  close(): Promise<void>;
}

export async function startFilteredEnvoy(options: FilteredEnvoyOptions): Promise<FilteredEnvoy> {
  const { version, policy, files, listeners, clusters = [] } = options;
  const folder = await mkdtemp(join(tmpdir(), 'filtered-'));
  const policyFolder = join(folder, 'policy');
  const shieldSocket = join(folder, 's.sock');
  const filter = new FilterProcess(
    ['--policy', policyFolder, '--listen', `unix:${shieldSocket}`],
    join(folder, 'a.sock'),
  );
  const envoy = new RecordingEnvoy({ folder, shieldSocket, listeners, clusters });
  const close = async () => {
    await envoy.close();
    await filter.end();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const [path, text] of Object.entries({ 'policy.yaml': policy, ...files })) {
      await mkdir(dirname(join(policyFolder, path)), { recursive: true });
      await writeFile(join(policyFolder, path), text);
    }
    await filter.start();
    await envoy.start((await ensureTestEnvoy(version)).path);
  } catch (error) {
    await close();
    throw error;
  }
  return { envoy, filter, policyFolder, close };
}
