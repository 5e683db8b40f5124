import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NETWORK_LIMITS } from '@flotilla/proto/commands';
import type { FileChange } from './change-folder.ts';
import { listNames, readText } from './netplan-files.ts';
import type { NetworkSettings } from './types.ts';

/** One state of the managed netplan file. Generation 0 is the state before the first change. */
export interface Generation {
  readonly generation: number;
  readonly at: string;
  readonly command_id: string;
  /** Null: the file did not exist. */
  readonly yaml: string | null;
}

/** The oldest is first. */
export async function readGenerations(settings: Pick<NetworkSettings, 'dataDir'>): Promise<Generation[]> {
  const folder = folderOf(settings);
  const names = (await listNames(folder)).filter((name) => name.endsWith('.json'));
  const texts = await Promise.all(names.map((name) => readText(join(folder, name))));
  return texts.flatMap((text) => (text === undefined ? [] : [JSON.parse(text) as Generation]));
}

/** The files that a change of the managed file adds to the history. */
export function addGeneration(
  settings: Pick<NetworkSettings, 'dataDir'>,
  known: readonly Generation[],
  next: { readonly before: string | undefined; readonly after: string | null; readonly id: string; readonly at: Date },
): { readonly files: readonly FileChange[]; readonly generation: number } {
  const at = next.at.toISOString();
  const last = known.at(-1);
  const current = { generation: last ? last.generation + 1 : 0, at, command_id: '', yaml: next.before ?? null };
  // Before the first change, or after somebody has edited the file.
  const isKnown = last !== undefined && last.yaml === current.yaml;
  const generation = isKnown ? current.generation : current.generation + 1;
  const added = [...(isKnown ? [] : [current]), { generation, at, command_id: next.id, yaml: next.after }];
  return { files: added.map((one) => toFile(settings, one)), generation };
}

export async function pruneGenerations(settings: Pick<NetworkSettings, 'dataDir'>): Promise<void> {
  const known = await readGenerations(settings);
  for (const { generation } of known.slice(0, Math.max(0, known.length - NETWORK_LIMITS.generationsKept)))
    await rm(pathOf(settings, generation), { force: true });
}

function toFile(settings: Pick<NetworkSettings, 'dataDir'>, one: Generation): FileChange {
  return { path: pathOf(settings, one.generation), content: JSON.stringify(one), mode: 0o600 };
}

function pathOf(settings: Pick<NetworkSettings, 'dataDir'>, generation: number): string {
  return join(folderOf(settings), `${String(generation).padStart(8, '0')}.json`);
}

function folderOf({ dataDir }: Pick<NetworkSettings, 'dataDir'>): string {
  return join(dataDir, 'generations');
}
