import { type CallOutput, signInBlockRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import { formatAge } from '../output.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withConnection, withJson } from './scope-options.ts';

type SignInBlock = CallOutput<typeof signInBlockRoutes.list>['items'][number];

/** Addresses that have to wait because too many accounts were tried from them. For owners of the installation. */
export function addSignInBlockCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const blocks = program
    .command('sign-in-blocks')
    .description('addresses that too many accounts were tried from: list, end');

  withJson(withConnection(blocks.command('list')))
    .description('which addresses they are, and until when each waits')
    .action(
      runner.list(
        (now) => [
          { title: 'address', value: (row: SignInBlock) => row.address },
          { title: 'failed', value: (row: SignInBlock) => row.failures },
          { title: 'last', value: (row: SignInBlock) => formatAge(row.last_at, now) },
          { title: 'waits until', value: (row: SignInBlock) => row.waits_until },
        ],
        async (options: CommonOptions) => await listSignInBlocks(await Connection.open(io, options)),
      ),
    );

  withJson(withConnection(blocks.command('end')))
    .description('forget what failed from an address, and from its network where it is IPv6')
    .argument('<address>', 'as the list has it, or any other of its network')
    .action(
      runner.answer(async (address: string, options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        await connection.call(signInBlockRoutes.end, { params: { address }, query: {} });
        return { json: { ended: address }, text: `Sign-ins from ${address} are looked at again.` };
      }),
    );
}

export async function listSignInBlocks(connection: Connection): Promise<readonly SignInBlock[]> {
  return (await connection.call(signInBlockRoutes.list, {})).body.items;
}
