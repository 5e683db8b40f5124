import { join } from 'node:path';
import { build } from 'esbuild';
import { PROGRAM_OPTIONS } from '../../../scripts/bundle-options.mjs';

/**
 * Bundles a program of the benchmarks like the filter; returns its path in `folder`. Running TypeScript sources would
 * be slower than the shipped code: removing the types uses WebAssembly, and once its memory was detached, V8 checks
 * every array access for a detached buffer.
 */
export async function bundleProgram(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({ ...PROGRAM_OPTIONS, entryPoints: [entry], outfile });
  return outfile;
}
