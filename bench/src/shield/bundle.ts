import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles a program of the measurements as the filter is bundled; returns its path in `folder`. What runs from sources with
 * types is slower in a way that what is shipped is not: removing the types takes WebAssembly, and an engine whose memory
 * was ever detached looks at each use of an array whether this one was.
 */
export async function bundleProgram(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, 'program.mjs');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    logLevel: 'warning',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  return outfile;
}
