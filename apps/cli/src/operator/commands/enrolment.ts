import { type EnrolmentTokenView, enrolmentRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { note, print, printJson } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import { isId } from '../project.ts';
import type { Scope } from '../records.ts';
import { parseLengthS } from './moment.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface EnrolmentOptions extends CommonOptions {
  readonly overlap?: string;
}

/** Tokens by which hosts join the project; `clients token` makes them. */
export function addEnrolmentCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const enrolment = program.command('enrolment').description('tokens by which hosts join the project');

  withJson(withProject(enrolment.command('list')))
    .description('enrolment tokens and which of their secrets hold, without the secrets')
    .action(
      runner.list(
        () => [
          { title: 'note', value: (row: EnrolmentTokenView) => row.note },
          { title: 'status', value: (row: EnrolmentTokenView) => row.status },
          { title: 'begins with', value: (row: EnrolmentTokenView) => row.secrets[0]?.prefix },
          { title: 'old one ends', value: (row: EnrolmentTokenView) => row.secrets[1]?.expires_at },
          { title: 'expires', value: (row: EnrolmentTokenView) => row.expires_at },
          { title: 'made by', value: (row: EnrolmentTokenView) => row.created_by },
          { title: 'id', value: (row: EnrolmentTokenView) => row.id },
        ],
        async (options: EnrolmentOptions) => await listEnrolmentTokens(await openScope(io, options)),
      ),
    );

  withJson(withProject(enrolment.command('get')))
    .description('one token, also one that was used or withdrawn, without its secrets')
    .argument('<token>', 'note of an open one, or id')
    .action(
      runner.show(async (name: string, options: EnrolmentOptions) => {
        const scope = await openScope(io, options);
        const params = { token_id: await requireTokenId(scope, name) };
        const query = { project: scope.project };
        return (await scope.connection.call(enrolmentRoutes.getToken, { params, query })).body;
      }),
    );

  withJson(withProject(enrolment.command('withdraw')))
    .description('withdraw an open token; a client that it has already admitted stays')
    .argument('<token>', 'note of an open one, or id')
    .action(
      runner.answer(async (name: string, options: EnrolmentOptions) => {
        const scope = await openScope(io, options);
        const id = await requireTokenId(scope, name);
        const query = { project: scope.project };
        await scope.connection.call(enrolmentRoutes.deleteToken, { params: { token_id: id }, query });
        return { json: { withdrawn: id }, text: `Enrolment token ${name} is withdrawn.` };
      }),
    );

  withJson(withProject(enrolment.command('rotate')))
    .description('give an open token a new secret; the command for the host goes to standard output, this once')
    .argument('<token>', 'note or id')
    .option('--overlap <time>', 'the old secret still works for so long, such as 10m; 1h unless told', '1h')
    .action(
      runner.action(async (name: string, options: EnrolmentOptions) => {
        const overlap = parseLengthS(options.overlap ?? '');
        const scope = await openScope(io, options);
        const { id } = await requireOpenToken(scope, name);
        const { body } = await scope.connection.call(enrolmentRoutes.rotateToken, {
          params: { token_id: id },
          query: { project: scope.project },
          body: { overlap_s: overlap },
        });
        if (options.json) printJson(io, body);
        else {
          const end = body.secrets[1]?.expires_at;
          note(io, `Valid once, until ${body.expires_at}. The old secret ${end ? `ends ${end}` : 'has ended'}.`);
          note(io, 'On the host run:');
          print(io, body.command);
        }
        return EXIT.ok;
      }),
    );
}

/** Newest first. */
export function listEnrolmentTokens(
  { connection, project }: Scope,
  status?: EnrolmentTokenView['status'],
): Promise<EnrolmentTokenView[]> {
  const query = { project, limit: PAGE_SIZE, status };
  return collectPages(
    async (cursor) => (await connection.call(enrolmentRoutes.listTokens, { query: { ...query, cursor } })).body,
  );
}

/** By its id, or by its note among the open ones: of several that have it, none is guessed. */
async function requireOpenToken(scope: Scope, name: string): Promise<EnrolmentTokenView> {
  const open = await listEnrolmentTokens(scope, 'open');
  const found = open.filter((token) => token.id === name.toLowerCase() || token.note === name);
  const [only, ...others] = found;
  if (!only) throw new CliFailure(EXIT.notFound, `There is no open enrolment token ${name} in this project.`);
  if (others.length === 0) return only;
  const ids = found.map(({ id, secrets }) => `${id} (${secrets[0]?.prefix}…)`).join(', ');
  throw new CliFailure(EXIT.usage, `Several open tokens have the note ${name}. Use the id: ${ids}`);
}

async function requireTokenId(scope: Scope, name: string): Promise<string> {
  return isId(name) ? name : (await requireOpenToken(scope, name)).id;
}
