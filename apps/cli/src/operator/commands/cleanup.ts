import {
  CLEAN_UP_MODES,
  type CleanedVersion,
  type CleanUpMode,
  type CleanUpPreview,
  cleanUpRoutes,
} from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, print, printable, printJson } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface CleanUpOptions extends CommonOptions {
  readonly mode: string;
  readonly digest?: string;
}

/** What a project has of a retired proxy version: look at it, take it away, bring it back. For admins. */
export function addCleanUpCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const cleanup = program.command('cleanup').description('take away what a project has of a retired proxy version');

  withMode(withJson(withProject(cleanup.command('preview'))))
    .description('what would go, and what is in the way; changes nothing')
    .argument('<version>', 'such as 1.36.4')
    .action(
      runner.action(async (version: string, options: CleanUpOptions) => {
        const mode = parseMode(options.mode);
        const { connection, project } = await openScope(io, options);
        const { body: preview } = await connection.call(cleanUpRoutes.preview, {
          params: { version },
          query: { project, mode },
        });
        if (options.json) printJson(io, preview);
        else print(io, describe(preview));
        return preview.blocked_by.length === 0 ? EXIT.ok : EXIT.conflict;
      }),
    );

  withMode(withJson(withProject(cleanup.command('apply'))))
    .description('do what the preview says, all of it or nothing; a restore point is made before')
    .argument('<version>', 'such as 1.36.4')
    .requiredOption('--digest <digest>', 'of the preview')
    .action(
      runner.action(async (version: string, options: CleanUpOptions) => {
        const mode = parseMode(options.mode);
        const { connection, project } = await openScope(io, options);
        const query = { project, mode, digest: options.digest ?? '' };
        const { body: done } = await connection.call(cleanUpRoutes.run, { params: { version }, query });
        if (options.json) printJson(io, done);
        else if (done.clean_up === null) print(io, `There is nothing of ${version} to take away.`);
        else
          print(
            io,
            `Taken away: ${countDocuments(done.total)}. Until ${done.kept_until} that can be undone with: flotilla cleanup undo ${done.clean_up}`,
          );
        return EXIT.ok;
      }),
    );

  withJson(withProject(cleanup.command('list')))
    .description('what was taken away and can still be brought back')
    .action(
      runner.list(createColumns, async (options: CommonOptions) => {
        const { connection, project } = await openScope(io, options);
        return await collectPages(async (cursor) => {
          const query = { project, limit: PAGE_SIZE, cursor };
          return (await connection.call(cleanUpRoutes.list, { query })).body;
        });
      }),
    );

  withJson(withProject(cleanup.command('undo')))
    .description('bring back what was taken away, with its revisions: all of it or nothing')
    .argument('<clean-up>')
    .action(
      runner.answer(async (id: string, options: CommonOptions) => {
        const { connection, project } = await openScope(io, options);
        const request = { params: { clean_up_id: id }, query: { project } };
        const { body: done } = await connection.call(cleanUpRoutes.undo, request);
        return { json: done, text: `Brought back: ${countDocuments(done.total)} of ${done.version}.` };
      }),
    );

  withJson(withProject(cleanup.command('purge')))
    .description('delete for good what was taken away, before its time is over')
    .argument('<clean-up>')
    .action(
      runner.answer(async (id: string, options: CommonOptions) => {
        const { connection, project } = await openScope(io, options);
        await connection.call(cleanUpRoutes.purge, { params: { clean_up_id: id }, query: { project } });
        return { json: { purged: id }, text: `Clean-up ${id} is deleted for good.` };
      }),
    );
}

function countDocuments(count: number): string {
  return count === 1 ? '1 document' : `${count} documents`;
}

function withMode(command: Command): Command {
  return command.option('--mode <mode>', CLEAN_UP_MODES.join(', '), 'all');
}

function parseMode(text: string): CleanUpMode {
  const mode = CLEAN_UP_MODES.find((one) => one === text);
  if (!mode) throw new CliFailure(EXIT.usage, `"${text}" is no mode: ${CLEAN_UP_MODES.join(', ')}`);
  return mode;
}

function createColumns(now: number) {
  return [
    { title: 'id', value: (row: CleanedVersion) => row.id },
    { title: 'version', value: (row: CleanedVersion) => row.version },
    { title: 'documents', value: (row: CleanedVersion) => row.total },
    { title: 'taken away', value: (row: CleanedVersion) => formatAge(row.cleaned_at, now) },
    { title: 'by', value: (row: CleanedVersion) => row.cleaned_by },
    { title: 'kept until', value: (row: CleanedVersion) => row.kept_until },
  ];
}

function describe({ version, mode, counts, names, total, blocked_by, digest }: CleanUpPreview): string {
  return [
    ...Object.entries(counts).map(([collection, count]) => {
      const listed = names[collection] ?? [];
      const more = count > listed.length ? `, and ${count - listed.length} more` : '';
      return printable(`takes away ${count} ${collection}: ${listed.join(', ')}${more}`);
    }),
    ...blocked_by.map(({ kind, name, reason }) => printable(`in the way: ${name} (${kind}) ${reason}`)),
    total === 0 ? `There is nothing of ${version} to take away.` : undefined,
    total > 0 && blocked_by.length === 0
      ? `Do it with: flotilla cleanup apply ${version} --mode ${mode} --digest ${digest}`
      : undefined,
  ]
    .filter((line) => line !== undefined)
    .join('\n');
}
