import { type ApiTokenView, apiTokenRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, note, print, printJson, printList } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import type { Scope } from '../records.ts';
import { parseAhead } from './moment.ts';
import { type CommonOptions, openScope, parseRole, type Runner, withJson, withProject } from './shared.ts';

interface TokenOptions extends CommonOptions {
  readonly role?: ReturnType<typeof parseRole>;
  readonly expires?: string;
}

/** API tokens of the project, for automation. */
export function addTokenCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const tokens = program.command('tokens').description('list, make and revoke API tokens of the project');

  withJson(withProject(tokens.command('list')))
    .description('API tokens, without their values')
    .action(
      runner.action(async (options: TokenOptions) => {
        const items = await listTokens(await openScope(io, options));
        const now = Date.now();
        const columns = [
          { title: 'name', value: (row: ApiTokenView) => row.name },
          { title: 'role', value: (row: ApiTokenView) => row.role },
          { title: 'begins with', value: (row: ApiTokenView) => row.prefix },
          { title: 'made by', value: (row: ApiTokenView) => row.created_by },
          { title: 'maker', value: (row: ApiTokenView) => row.maker.replaceAll('_', ' ') },
          { title: 'expires', value: (row: ApiTokenView) => row.expires_at },
          { title: 'last used', value: (row: ApiTokenView) => formatAge(row.last_used_at, now) },
        ];
        printList(io, items, columns, options.json === true);
        return EXIT.ok;
      }),
    );

  withJson(withProject(tokens.command('create')))
    .description('make an API token; its value goes to standard output, this once')
    .argument('<name>')
    .requiredOption('--role <role>', 'owner, admin, editor or viewer; never above your own', parseRole)
    .option('--expires <time>', 'in so long, such as 90d, or a time; it does not expire unless told')
    .action(
      runner.action(async (name: string, options: TokenOptions) => {
        const expiresAt = options.expires === undefined ? null : parseAhead(options.expires, Date.now());
        const { connection, project } = await openScope(io, options);
        const { body } = await connection.call(apiTokenRoutes.create, {
          query: { project },
          body: { name, role: options.role ?? 'viewer', expires_at: expiresAt },
        });
        if (options.json) printJson(io, body);
        else {
          note(io, `Token ${body.name} made${expiresAt ? `, until ${expiresAt}` : ''}. It is shown this once:`);
          print(io, body.token);
        }
        return EXIT.ok;
      }),
    );

  withJson(withProject(tokens.command('revoke')))
    .description('end an API token: the next request with it is refused')
    .argument('<token>', 'name or id')
    .action(
      runner.action(async (name: string, options: TokenOptions) => {
        const scope = await openScope(io, options);
        const token = await requireToken(scope, name);
        const { connection, project } = scope;
        await connection.call(apiTokenRoutes.delete, { params: { token_id: token.id }, query: { project } });
        if (options.json) printJson(io, { revoked: token.id });
        else print(io, `Token ${token.name} revoked.`);
        return EXIT.ok;
      }),
    );
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
