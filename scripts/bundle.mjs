import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { PROGRAM_OPTIONS } from './bundle-options.mjs';
import { ROOT } from './setup.mjs';

const DIST = join(ROOT, 'dist');

/**
 * One entry, split where a program is imported lazily, so that `flotilla agent` loads nothing of the controller.
 * Sources carry types, and stripping them costs memory and time in every process: the programs run from here.
 */
await mkdir(DIST, { recursive: true });
// The screens in there are built by themselves.
const old = (await readdir(DIST)).filter((name) => name !== 'web');
for (const name of old) await rm(join(DIST, name), { recursive: true });
/** Nothing of ours does anything by being imported, so what an entry does not use can be left out of it. */
const leaveOutUnused = {
  name: 'leave-out-unused',
  setup(bundling) {
    const ours = [join(ROOT, 'apps'), join(ROOT, 'packages')];
    bundling.onResolve({ filter: /.*/ }, async ({ path, resolveDir, kind, importer, pluginData }) => {
      if (pluginData === leaveOutUnused || kind === 'entry-point') return undefined;
      const found = await bundling.resolve(path, { resolveDir, kind, importer, pluginData: leaveOutUnused });
      return ours.some((folder) => found.path.startsWith(folder)) ? { ...found, sideEffects: false } : found;
    });
  },
};

const OPTIONS = {
  ...PROGRAM_OPTIONS,
  outdir: DIST,
  outExtension: { '.js': '.mjs' },
  sourcemap: true,
  legalComments: 'none',
};

await build({
  ...OPTIONS,
  entryPoints: {
    flotilla: join(ROOT, 'apps/cli/src/entry.ts'),
    'owner-watch': join(ROOT, 'packages/kit/src/owner-watch.ts'),
    'shield-explain-worker': join(ROOT, 'apps/shield/src/admin/explain-worker.ts'),
    'shield-load-worker': join(ROOT, 'apps/shield/src/load-worker.ts'),
    'controller-build-worker': join(ROOT, 'apps/controller/src/modules/fleet/snapshots/build-worker.ts'),
    'controller-analysis-process': join(
      ROOT,
      'apps/controller/src/modules/configuration/policies/analysis/analysis-process.ts',
    ),
    'controller-extract-worker': join(
      ROOT,
      'apps/controller/src/modules/configuration/proxy-versions/extract-worker.ts',
    ),
    'controller-collector-worker': join(ROOT, 'apps/controller/src/modules/traffic/collector/worker.ts'),
    'controller-document-process': join(
      ROOT,
      'apps/controller/src/modules/traffic/api-documents/reading/document-process.ts',
    ),
    'controller-namer-worker': join(ROOT, 'apps/controller/src/modules/traffic/rewrite/namer-worker.ts'),
    'event-store-worker': join(ROOT, 'packages/event-store/src/duckdb/worker.ts'),
    'controller-request-worker': join(ROOT, 'apps/controller/src/request-worker.ts'),
    'controller-trial-worker': join(ROOT, 'apps/controller/src/modules/security/shield-trials/trial-worker.ts'),
  },
  splitting: true,
});
// Every thread of the filter loads this again. Alone it is a sixth of the parts that it shares with the programs.
await build({
  ...OPTIONS,
  entryPoints: { 'shield-thread': join(ROOT, 'apps/shield/src/threads/thread-main.ts') },
  plugins: [leaveOutUnused],
});
