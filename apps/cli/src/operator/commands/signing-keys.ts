import { type CallOutput, signingKeyRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withConnection, withJson } from './scope-options.ts';

type SigningKey = CallOutput<typeof signingKeyRoutes.list>['items'][number];

/** What access tokens are signed with. For owners of the installation. */
export function addSigningKeyCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const keys = program.command('signing-keys').description('keys that access tokens are signed with: list, rotate');

  withJson(withConnection(keys.command('list')))
    .description('the keys by name: which one signs, and until when others hold')
    .action(
      runner.list(
        () => [
          { title: 'key', value: (row: SigningKey) => row.kid },
          { title: 'signs', value: (row: SigningKey) => row.signs },
          { title: 'made', value: (row: SigningKey) => row.created_at },
          { title: 'holds until', value: (row: SigningKey) => row.verifies_until },
        ],
        async (options: CommonOptions) => {
          const connection = await Connection.open(io, options);
          return (await connection.call(signingKeyRoutes.list, {})).body.items;
        },
      ),
    );

  withJson(withConnection(keys.command('rotate')))
    .description('sign with a new key from now on; tokens signed before hold until they expire')
    .action(
      runner.answer(async (options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        const { body } = await connection.call(signingKeyRoutes.rotate, { query: {} });
        return { json: body, text: `Access tokens are signed with ${body.kid} from now on.` };
      }),
    );
}
