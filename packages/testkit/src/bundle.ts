import { chmod, copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { PROGRAM_OPTIONS } from '../../../scripts/bundle-options.mjs';

/**
 * Bundles sources into `dir`, so that a process of another user can run them however closed the folders above the clone
 * are. `entries`: name of the bundle -> source. Returns the folder's own Node beside them.
 */
export async function bundlePrograms(
  dir: string,
  entries: Readonly<Record<string, string>>,
): Promise<{ node: string }> {
  await build({
    ...PROGRAM_OPTIONS,
    entryPoints: { ...entries },
    outdir: dir,
    outExtension: { '.js': '.mjs' },
    logLevel: 'error',
  });
  await chmod(dir, 0o755);
  const node = join(dir, 'node');
  const there = await stat(node).catch(() => undefined);
  if (!there) await copyFile(process.execPath, node);
  await chmod(node, 0o755);
  return { node };
}
