import type { Command } from 'commander';
import { stringify } from 'yaml';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { isBootstrap, splitBootstrap } from '../import/split-bootstrap.ts';
import { readSources } from '../manifest/files.ts';
import { refuseFiles } from '../manifest/load.ts';
import { parseSource } from '../manifest/source.ts';
import { note, print, printJson } from '../output.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withJson } from './scope-options.ts';

interface ImportOptions extends CommonOptions {
  readonly name: string;
  readonly version: string;
}

export function addImportCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(program.command('import'))
    .description(
      'turn an envoy.yaml into documents and a service, in the form that `apply -f -` accepts; changes nothing',
    )
    .argument('<file>', 'the configuration of a standalone Envoy, or - for standard input')
    .requiredOption('--name <name>', 'the name of the service and of its bootstrap')
    .requiredOption('--version <version>', 'its Envoy version, such as 1.40.0')
    .action(
      runner.action(async (file: string, options: ImportOptions) => {
        const [source] = await readSources([file], io.stdin);
        const { entries, problems } = parseSource(source ?? { file, text: '' });
        if (problems.length > 0) throw refuseFiles(problems, 'The file cannot be imported:');
        const [entry] = entries;
        if (!entry || entries.length > 1 || !isBootstrap(entry.value))
          throw new CliFailure(EXIT.usage, `${file}: is not an Envoy bootstrap: it has no static_resources`);
        const imported = splitBootstrap(entry.value, options);
        if (imported.problems.length > 0) {
          const found = imported.problems.map(({ path, message }) => entry.problem(path, message));
          throw refuseFiles(found, 'The file cannot be imported:');
        }
        if (imported.leftOut.length > 0)
          note(io, `Left out, because the controller sets it: ${imported.leftOut.join(', ')}`);
        if (options.json) printJson(io, { items: imported.manifests });
        else
          print(
            io,
            imported.manifests
              .map((manifest) => stringify(manifest))
              .join('---\n')
              .trimEnd(),
          );
        return EXIT.ok;
      }),
    );
}
