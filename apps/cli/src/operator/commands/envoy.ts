import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { type Columns, note, print, printJson, printList } from '../output.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withJson } from './scope-options.ts';

interface EnvoyOptions extends CommonOptions {
  readonly cache?: string;
}

/** These commands need no controller. */
export function addEnvoyCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const envoy = program.command('envoy').description('install and list Envoy binaries on this machine');

  withJson(envoy.command('install'))
    .description('download an Envoy, verify its digest and store it in the cache')
    .argument('<version>', 'exact (1.40.0), or the newest of a minor version (1.40)')
    .option('--cache <folder>', 'folder of the binaries')
    .action(
      runner.action(async (version: string, options: EnvoyOptions) => {
        let shown = '';
        const dist = await openDist(runner, options, ({ source, step, receivedBytes, totalBytes }) => {
          const percent = totalBytes ? Math.floor((receivedBytes / totalBytes) * 10) * 10 : undefined;
          const line = `${step} (${source})${percent === undefined ? '' : ` ${percent} %`}`;
          if (line !== shown) note(io, line);
          shown = line;
        });
        const outcome = await dist.ensure(version);
        if (!outcome.ok) {
          note(io, outcome.error.message);
          return outcome.error.code === 'bad_version' ? EXIT.usage : EXIT.failed;
        }
        if (options.json) printJson(io, outcome.value);
        else print(io, `Envoy ${outcome.value.version}: ${outcome.value.path}`);
        return EXIT.ok;
      }),
    );

  withJson(envoy.command('list'))
    .description('every Envoy that can be used here')
    .option('--cache <folder>', 'folder of the binaries')
    .action(
      runner.action(async (options: EnvoyOptions) => {
        const binaries = await (await openDist(runner, options)).list();
        const folder = options.cache ?? (await import('@flotilla/envoy-dist')).defaultEnvoyCacheDir(io.env);
        if (binaries.length === 0 && !options.json) {
          note(
            io,
            `No Envoy was found in ${folder}, on PATH or in ENVOY_BIN. Agents use another folder: give it with --cache.`,
          );
          return EXIT.ok;
        }
        type Row = (typeof binaries)[number];
        const columns: Columns<Row> = {
          version: 'version',
          from: 'source',
          sha256: (row: Row) => row.sha256.slice(0, 16),
          path: 'path',
        };
        printList(io, { rows: binaries, columns }, options);
        return EXIT.ok;
      }),
    );
}

async function openDist(
  { io }: Runner,
  options: EnvoyOptions,
  onProgress?: Parameters<typeof import('@flotilla/envoy-dist').createEnvoyDist>[0]['onProgress'],
) {
  const { createEnvoyDist, defaultEnvoyCacheDir } = await import('@flotilla/envoy-dist');
  return createEnvoyDist({
    cacheDir: options.cache ?? defaultEnvoyCacheDir(io.env),
    env: io.env,
    ...(onProgress && { onProgress }),
  });
}
