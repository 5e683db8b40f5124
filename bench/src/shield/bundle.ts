import { join } from 'node:path';
import { build } from 'esbuild';
import { PROGRAM_OPTIONS } from '../../../scripts/bundle-options.mjs';

/**
 * Bundles a program of the measurements as the filter is bundled; returns its path in `folder`. What runs from sources with
 * types is slower in a way that what is shipped is not: removing the types takes WebAssembly, and an engine whose memory
 * was ever detached looks at each use of an array whether this one was.
 */
export async function bundleProgram(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({ ...PROGRAM_OPTIONS, entryPoints: [entry], outfile });
  return outfile;
}
