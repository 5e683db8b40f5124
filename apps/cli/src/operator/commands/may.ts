import { capabilityRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { print, printJson } from '../output.ts';
import type { Scope } from '../records.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

/** What the guard of the controller lets the caller do, by the names that operations have in the API. */
export function addMayCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(withProject(program.command('may')))
    .description('what you may do in the project; with an operation: whether you may')
    .argument('[operation]', 'its name in the API, such as createPolicy')
    .action(
      runner.action(async (operation: string | undefined, options: CommonOptions) => {
        const capabilities = await readCapabilities(await openScope(io, options));
        const { role, resource_access, routes } = capabilities;
        if (operation !== undefined) {
          if (!routes.includes(operation))
            throw new CliFailure(EXIT.forbidden, `You may not: ${operation}. What you may do: flotilla may`);
          if (options.json) printJson(io, { operation, may: true });
          else print(io, `You may: ${operation}`);
          return EXIT.ok;
        }
        if (options.json) printJson(io, capabilities);
        else {
          const only = resource_access === 'listed' ? ', on what you were given' : '';
          print(io, `As ${role ?? 'owner of the installation'}${only}:`);
          for (const id of routes) print(io, id);
        }
        return EXIT.ok;
      }),
    );
}

export async function readCapabilities({ connection, project }: Scope) {
  return (await connection.call(capabilityRoutes.get, { query: { project } })).body;
}
