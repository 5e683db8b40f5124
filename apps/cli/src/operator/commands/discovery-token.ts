import { discoveryTokenRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { note, print, printJson } from '../output.ts';
import { parseLengthS } from './moment.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface DiscoveryOptions extends CommonOptions {
  readonly overlap?: string;
}

/** The token by which services report themselves to the project; there is one. */
export function addDiscoveryTokenCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const token = program
    .command('discovery-token')
    .description('the token by which services report themselves to the project');

  withJson(withProject(token.command('get')))
    .description('which of its secrets hold, without the secrets')
    .action(
      runner.show(async (options: CommonOptions) => {
        const { connection, project } = await openScope(io, options);
        return (await connection.call(discoveryTokenRoutes.get, { query: { project } })).body;
      }),
    );

  withJson(withProject(token.command('generate')))
    .description('make a new one, which goes to standard output, this once')
    .option('--overlap <time>', 'the old one still works for so long, such as 1h; not at all unless told', '0s')
    .action(
      runner.action(async (options: DiscoveryOptions) => {
        const body = { overlap_s: parseLengthS(options.overlap ?? '') };
        const { connection, project } = await openScope(io, options);
        const made = await connection.call(discoveryTokenRoutes.generate, { query: { project }, body });
        if (options.json) printJson(io, made.body);
        else {
          const end = made.body.secrets[1]?.expires_at;
          note(io, `The discovery token, shown this once.${end ? ` The old one ends ${end}.` : ''}`);
          print(io, made.body.token);
        }
        return EXIT.ok;
      }),
    );

  withJson(withProject(token.command('end')))
    .description('end it: what comes with it is refused from now on')
    .action(
      runner.answer(async (options: CommonOptions) => {
        const { connection, project } = await openScope(io, options);
        await connection.call(discoveryTokenRoutes.delete, { query: { project } });
        return { json: { ended: project }, text: 'The discovery token has ended.' };
      }),
    );
}
