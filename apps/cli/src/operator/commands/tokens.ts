import { type ApiTokenView, apiTokenRoutes, type CallInput } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, note, print, printJson } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import { isId } from '../project.ts';
import type { Scope } from '../records.ts';
import { parseAhead, parseLengthS } from './moment.ts';
import { collect, parseRole } from './option-values.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface TokenOptions extends CommonOptions {
  readonly name?: string;
  readonly role?: ReturnType<typeof parseRole>;
  readonly expires?: string;
  readonly family?: string[];
  readonly overlap?: string;
}

type Families = NonNullable<CallInput<typeof apiTokenRoutes.create>['body']>['families'];

/** API tokens of the project, for automation. */
export function addTokenCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const tokens = program.command('tokens').description('list, show, make and revoke API tokens of the project');

  withJson(withProject(tokens.command('list')))
    .description('API tokens, without their values')
    .action(
      runner.list(
        (now) => [
          { title: 'name', value: (row: ApiTokenView) => row.name },
          { title: 'role', value: (row: ApiTokenView) => row.role },
          { title: 'families', value: (row: ApiTokenView) => row.families?.join(' ') ?? 'all' },
          { title: 'begins with', value: (row: ApiTokenView) => row.prefix },
          { title: 'made by', value: (row: ApiTokenView) => row.created_by },
          { title: 'maker', value: (row: ApiTokenView) => row.maker.replaceAll('_', ' ') },
          { title: 'expires', value: (row: ApiTokenView) => row.expires_at },
          { title: 'last used', value: (row: ApiTokenView) => formatAge(row.last_used_at, now) },
          { title: 'from', value: (row: ApiTokenView) => row.last_used_ip },
        ],
        async (options: TokenOptions) => await listTokens(await openScope(io, options)),
      ),
    );

  withJson(withProject(tokens.command('get')))
    .description('one API token and which of its secrets hold, without the secrets')
    .argument('<token>', 'name or id')
    .action(
      runner.show(async (name: string, options: TokenOptions) => {
        const scope = await openScope(io, options);
        const params = { token_id: isId(name) ? name : (await requireToken(scope, name)).id };
        return (await scope.connection.call(apiTokenRoutes.get, { params, query: { project: scope.project } })).body;
      }),
    );

  withJson(withProject(tokens.command('create')))
    .description('make an API token; its value goes to standard output, this once')
    .argument('<name>')
    .requiredOption('--role <role>', 'owner, admin, editor or viewer; never above your own', parseRole)
    .option('--family <name>', 'such as events or policies: all it may call; may be repeated; all unless told', collect)
    .option('--expires <time>', 'in so long, such as 90d, or a time; it does not expire unless told')
    .action(
      runner.action(async (name: string, options: TokenOptions) => {
        const expiresAt = options.expires === undefined ? null : parseAhead(options.expires, Date.now());
        const { connection, project } = await openScope(io, options);
        const { body } = await connection.call(apiTokenRoutes.create, {
          query: { project },
          body: {
            name,
            role: options.role ?? 'viewer',
            // Words that the API does not know are refused by it, with the ones that it does.
            families: (options.family ?? null) as Families,
            expires_at: expiresAt,
          },
        });
        if (options.json) printJson(io, body);
        else {
          note(io, `Token ${body.name} made${expiresAt ? `, until ${expiresAt}` : ''}. It is shown this once:`);
          print(io, body.token);
        }
        return EXIT.ok;
      }),
    );

  withJson(withProject(tokens.command('change')))
    .description('rename an API token, or narrow it: fewer families, an earlier end')
    .argument('<token>', 'name or id')
    .option('--name <name>', 'what it is called from then on')
    .option('--family <name>', 'all it may call; may be repeated', collect)
    .option('--expires <time>', 'in so long, such as 90d, or a time')
    .action(
      runner.answer(async (name: string, options: TokenOptions) => {
        const body = readChanges(options);
        const scope = await openScope(io, options);
        const params = { token_id: (await requireToken(scope, name)).id };
        const request = { params, query: { project: scope.project }, body };
        const { body: changed } = await scope.connection.call(apiTokenRoutes.patch, request);
        return { json: changed, text: `Token ${changed.name} is changed.` };
      }),
    );

  withJson(withProject(tokens.command('rotate')))
    .description('give an API token a new secret, which goes to standard output, this once')
    .argument('<token>', 'name or id')
    .option('--overlap <time>', 'the old secret still works for so long, such as 1h; 1d unless told', '1d')
    .action(
      runner.action(async (name: string, options: TokenOptions) => {
        const overlap = parseLengthS(options.overlap ?? '');
        const scope = await openScope(io, options);
        const token = await requireToken(scope, name);
        const { connection, project } = scope;
        const { body } = await connection.call(apiTokenRoutes.rotate, {
          params: { token_id: token.id },
          query: { project },
          body: { overlap_s: overlap },
        });
        if (options.json) printJson(io, body);
        else {
          const end = body.secrets[1]?.expires_at;
          note(
            io,
            `Token ${body.name} has a new secret, shown this once. The old one ${end ? `ends ${end}` : 'has ended'}.`,
          );
          print(io, body.token);
        }
        return EXIT.ok;
      }),
    );

  withJson(withProject(tokens.command('revoke')))
    .description('end an API token: the next request with it is refused')
    .argument('<token>', 'name or id')
    .action(
      runner.answer(async (name: string, options: TokenOptions) => {
        const scope = await openScope(io, options);
        const token = await requireToken(scope, name);
        const { connection, project } = scope;
        await connection.call(apiTokenRoutes.delete, { params: { token_id: token.id }, query: { project } });
        return { json: { revoked: token.id }, text: `Token ${token.name} revoked.` };
      }),
    );
}

function readChanges({ name, family, expires }: TokenOptions) {
  if (name === undefined && family === undefined && expires === undefined)
    throw new CliFailure(EXIT.usage, 'Say what to change: --name, --family or --expires');
  return {
    ...(name !== undefined && { name }),
    ...(family !== undefined && { families: family as Families }),
    ...(expires !== undefined && { expires_at: parseAhead(expires, Date.now()) }),
  };
}

export function listTokens({ connection, project }: Scope): Promise<ApiTokenView[]> {
  return collectPages(
    async (cursor) =>
      (await connection.call(apiTokenRoutes.list, { query: { project, limit: PAGE_SIZE, cursor } })).body,
  );
}

/** By name or id. Ending the wrong one of two tokens of a name would be worse than asking. */
async function requireToken(scope: Scope, name: string): Promise<ApiTokenView> {
  const found = (await listTokens(scope)).filter((token) => token.id === name.toLowerCase() || token.name === name);
  const [only, ...others] = found;
  if (!only) throw new CliFailure(EXIT.notFound, `There is no API token ${name} in this project.`);
  if (others.length > 0) {
    const ids = found.map(({ id, prefix }) => `${id} (${prefix}…)`).join(', ');
    throw new CliFailure(EXIT.usage, `Several tokens are called ${name}. Use the id: ${ids}`);
  }
  return only;
}
