import { chmod, copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';

/**
 * Bundles sources into `dir`, so that a process of another user can run them however closed the folders above the clone
 * are. `entries`: name of the bundle -> source. Returns the folder's own Node beside them.
 */
export async function bundlePrograms(
  dir: string,
  entries: Readonly<Record<string, string>>,
): Promise<{ node: string }> {
  await build({
    entryPoints: { ...entries },
    outdir: dir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    external: ['pg-native'],
    logLevel: 'error',
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  });
  await chmod(dir, 0o755);
  const node = join(dir, 'node');
  const there = await stat(node).catch(() => undefined);
  if (!there) await copyFile(process.execPath, node);
  await chmod(node, 0o755);
  return { node };
}
