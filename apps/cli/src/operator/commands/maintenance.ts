import { CLEAN_UP_MODES, type CleanUpMode, type CleanUpPreview, cleanUpRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { print, printable, printJson } from '../output.ts';
import { type CommonOptions, openScope, type Runner, withJson, withProject } from './shared.ts';

interface CleanUpOptions extends CommonOptions {
  readonly mode: string;
  readonly yes?: boolean;
}

/** What is done to an installation now and then. For admins. */
export function addMaintenanceCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const maintenance = program.command('maintenance').description('clean up after retired proxy versions');

  withJson(withProject(maintenance.command('cleanup')))
    .description('show what the project has of a retired proxy version; with --yes delete it, after a restore point')
    .argument('<version>', 'such as 1.36.4')
    .option('--mode <mode>', CLEAN_UP_MODES.join(', '), 'all')
    .option('--yes', 'delete it')
    .action(
      runner.action(async (version: string, options: CleanUpOptions) => {
        const mode = parseMode(options.mode);
        const { connection, project } = await openScope(io, options);
        const request = { params: { version }, query: { project, mode } };
        const { body: preview } = await connection.call(cleanUpRoutes.preview, request);
        if (!options.yes) {
          if (options.json) printJson(io, preview);
          else print(io, describe(preview));
          return preview.blocked_by.length === 0 ? EXIT.ok : EXIT.conflict;
        }
        // What was not shown to anybody is deleted all the same: as a whole, or not at all.
        const query = { ...request.query, digest: preview.digest };
        const { body: done } = await connection.call(cleanUpRoutes.run, { ...request, query });
        if (options.json) printJson(io, done);
        else if (done.restore_point === null) print(io, `There is nothing of ${version} to delete.`);
        else print(io, `${done.total} documents are deleted. As it was before: backup ${done.restore_point}.`);
        return EXIT.ok;
      }),
    );
}

function parseMode(text: string): CleanUpMode {
  const mode = CLEAN_UP_MODES.find((one) => one === text);
  if (!mode) throw new CliFailure(EXIT.usage, `"${text}" is no mode: ${CLEAN_UP_MODES.join(', ')}`);
  return mode;
}

function describe({ version, counts, names, total, blocked_by }: CleanUpPreview): string {
  return [
    ...Object.entries(counts).map(([collection, count]) => {
      const listed = names[collection] ?? [];
      const more = count > listed.length ? `, and ${count - listed.length} more` : '';
      return printable(`deletes ${count} ${collection}: ${listed.join(', ')}${more}`);
    }),
    ...blocked_by.map(({ kind, name, reason }) => printable(`in the way: ${name} (${kind}) ${reason}`)),
    total === 0 ? `There is nothing of ${version} to delete.` : undefined,
    total > 0 && blocked_by.length === 0 ? `Delete ${total} documents with: --yes` : undefined,
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}
