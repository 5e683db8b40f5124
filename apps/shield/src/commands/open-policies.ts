import { buildRuntime } from '@flotilla/decision';
import { compileEngine, createArenaBuffer, LimiterArena } from '@flotilla/engines';
import { err, ok, type Result, toErrorMessage } from '@flotilla/kit';
import { type LoadedPolicies, type LoadProblem, loadPolicyFiles, type PolicyFile } from '@flotilla/policy';
import { readBundle } from '../bundle-reader.ts';

export interface OpenedPolicies {
  readonly files: readonly PolicyFile[];
  readonly loaded: LoadedPolicies;
}

/** Memory for limiters that are created but not used. */
const LIMITERS_BYTES = 2 ** 24;

/** Reads a bundle and does everything that a load does: all checks, data files, and the creation of every engine. */
export async function openPolicies(path: string): Promise<Result<OpenedPolicies, readonly LoadProblem[]>> {
  const files = await readBundle(path);
  if (!files.ok) return files;
  const loaded = loadPolicyFiles(files.value);
  if (!loaded.ok) return loaded;
  const arena = new LimiterArena(createArenaBuffer(LIMITERS_BYTES));
  try {
    buildRuntime(loaded.value, { nowMs: 0, compile: (block) => compileEngine(block, undefined, { arena }) });
  } catch (error) {
    const message = `an engine cannot be made: ${toErrorMessage(error)}`;
    return err([{ file: '.', line: 1, column: 1, field: '', rule: 'bundle.internal', message }]);
  }
  return ok({ files: files.value, loaded: loaded.value });
}
