import { chmod, copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { PROGRAM_OPTIONS } from '../../../scripts/bundle-options.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Bundles sources into `dir`, so that a process of another user can run them even if the folders above the clone are
 * private. `entries`: name of the bundle -> source. Returns Node's path in that folder.
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

/** The modules that a program loads, by path in the repository, including those of packages. */
export async function listModules(entry: string): Promise<string[]> {
  const { metafile } = await build({
    ...PROGRAM_OPTIONS,
    entryPoints: [entry],
    absWorkingDir: ROOT,
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  return Object.keys(metafile.inputs);
}
