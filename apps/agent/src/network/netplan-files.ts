import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result, readFileIfThere } from '@flotilla/kit';
import { type NetworkdConfig, parseNetworkd } from './networkd-files.ts';
import { runProgram } from './programs.ts';
import type { NetworkSettings, Problem } from './types.ts';

export const INTERFACES_FILE = '90-flotilla.yaml';
export const ROUTES_FILE = '91-flotilla-routes.yaml';
const FILE_MAX_BYTES = 1024 * 1024;
/** In the order of increasing precedence. */
const FOLDERS = ['lib/netplan', 'etc/netplan', 'run/netplan'];

/** The files of netplan by their names; one in /run replaces the one in /etc. */
export async function readNetplanFiles({ root }: Pick<NetworkSettings, 'root'>): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of FOLDERS) {
    for (const name of await listNames(join(root, folder))) {
      if (!name.endsWith('.yaml')) continue;
      const text = await readFile(join(root, folder, name), 'utf8');
      if (text.length <= FILE_MAX_BYTES) files.set(name, text);
    }
  }
  return new Map([...files].toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Lets netplan check the files and generate the configuration of networkd from them, in a folder that is removed. */
export async function generate(
  settings: Pick<NetworkSettings, 'prefix' | 'dataDir'>,
  files: ReadonlyMap<string, string>,
): Promise<Result<NetworkdConfig, Problem>> {
  const scratch = join(settings.dataDir, 'scratch');
  const folder = join(scratch, 'etc/netplan');
  try {
    await rm(scratch, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    for (const [name, text] of files) await writeFile(join(folder, name), text, { mode: 0o600 });
    const ran = await runProgram(settings, ['netplan', 'generate', '--root-dir', scratch]);
    if (!ran.ok) return err({ code: 'network.netplan', message: ran.error.message.replaceAll(`${scratch}/`, '/') });
    const generated = join(scratch, 'run/systemd/network');
    const networkd = new Map<string, string>();
    for (const name of await listNames(generated)) networkd.set(name, await readFile(join(generated, name), 'utf8'));
    return ok(parseNetworkd(networkd));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

export async function readText(path: string): Promise<string | undefined> {
  return (await readFileIfThere(path))?.toString();
}

export async function listNames(path: string): Promise<string[]> {
  try {
    return (await readdir(path)).toSorted();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
