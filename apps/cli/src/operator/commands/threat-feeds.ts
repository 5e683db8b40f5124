import { type CallOutput, type ThreatFeed, threatIntelRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { ifMatch } from '../apply/change.ts';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { openGivenFile } from '../given-file.ts';
import { formatAge, note, print, printJson } from '../output.ts';
import { collectPages } from '../paging.ts';
import type { Scope } from '../records.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withConnection, withJson, withProject } from './scope-options.ts';

type ThreatIntel = CallOutput<typeof threatIntelRoutes.list>;

/** Feeds of addresses that attacks come from. Changed by owners of the installation. */
export function addThreatFeedCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const feeds = program
    .command('threat-feeds')
    .description('lists of addresses that attacks come from: list, get, upload, on, off, delete');

  withJson(withProject(feeds.command('list')))
    .description('which feeds there are, without their entries')
    .action(
      runner.list(
        (now) => [
          { title: 'feed', value: (row: ThreatFeed) => row.name },
          { title: 'on', value: (row: ThreatFeed) => row.enabled },
          { title: 'entries', value: (row: ThreatFeed) => row.entry_count },
          { title: 'uploaded', value: (row: ThreatFeed) => formatAge(row.uploaded_at, now) },
          { title: 'by', value: (row: ThreatFeed) => row.uploaded_by },
        ],
        async (options: CommonOptions) => (await readThreatIntel(await openScope(io, options))).feeds,
      ),
    );

  withJson(withProject(feeds.command('get')))
    .description('the entries of a feed, one a line')
    .argument('<feed>')
    .action(
      runner.action(async (name: string, options: CommonOptions) => {
        const { connection, project } = await openScope(io, options);
        const entries = await collectPages(async (cursor) => {
          const request = { params: { name }, query: { project, cursor } };
          const { body } = await connection.call(threatIntelRoutes.get, request);
          return { items: body.entries, next_cursor: body.next_cursor };
        });
        if (options.json) printJson(io, { name, entries });
        else if (entries.length === 0) note(io, 'Nothing found.');
        else print(io, entries.join('\n'));
        return EXIT.ok;
      }),
    );

  withJson(withConnection(feeds.command('upload')))
    .description('make a feed, or replace one, by a file: an address or a network a line, # begins a comment')
    .argument('<name>')
    .argument('<file>')
    .action(
      runner.answer(async (name: string, file: string, options: CommonOptions) => {
        const given = await openGivenFile(file);
        const connection = await Connection.open(io, options);
        const request = { query: { name }, file: given };
        const { body } = await connection.call(threatIntelRoutes.upload, request);
        const lines =
          body.skipped === 0 ? '' : `; ${body.skipped} lines are left out: ${body.skipped_lines.join(', ')}`;
        return { json: body, text: `Feed ${name} has ${body.feed.entry_count} entries${lines}` };
      }),
    );

  for (const verb of ['on', 'off'] as const) {
    withJson(withConnection(feeds.command(verb)))
      .description(verb === 'on' ? 'use a feed' : 'leave a feed out; its entries stay')
      .argument('<feed>')
      .action(
        runner.answer(async (name: string, options: CommonOptions) => {
          const json = await switchFeed(await Connection.open(io, options), { name, enabled: verb === 'on' });
          return { json, text: `Feed ${name} is ${verb}.` };
        }),
      );
  }

  withJson(withConnection(feeds.command('delete')))
    .description('delete a feed with its entries')
    .argument('<feed>')
    .action(
      runner.answer(async (name: string, options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        await connection.call(threatIntelRoutes.delete, { params: { name }, query: {} });
        return { json: { deleted: name }, text: `Feed ${name} deleted.` };
      }),
    );
}

/** Also for completion. */
export async function readThreatIntel({ connection, project }: Scope): Promise<ThreatIntel> {
  return (await connection.call(threatIntelRoutes.list, { query: { project } })).body;
}

/** All feeds are written at once: one that somebody else has changed in between is not lost. */
async function switchFeed(
  connection: Connection,
  { name, enabled }: { name: string; enabled: boolean },
): Promise<ThreatIntel> {
  const { body, etag } = await connection.call(threatIntelRoutes.list, { query: {} });
  if (!body.feeds.some((feed) => feed.name === name)) throw new CliFailure(EXIT.notFound, `There is no feed ${name}.`);
  const feeds = body.feeds.map((feed) => (feed.name === name ? { ...feed, enabled } : feed));
  const request = { query: {}, body: { feeds }, headers: ifMatch(etag) };
  return (await connection.call(threatIntelRoutes.replace, request)).body;
}
