import { type CallOutput, signInBlockRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import { EXIT } from '../exit-codes.ts';
import { formatAge, print, printJson, printList } from '../output.ts';
import { type CommonOptions, type Runner, withConnection, withJson } from './shared.ts';

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
      runner.action(async (options: CommonOptions) => {
        const items = await listSignInBlocks(await Connection.open(io, options));
        const now = Date.now();
        const columns = [
          { title: 'address', value: (row: SignInBlock) => row.address },
          { title: 'failed', value: (row: SignInBlock) => row.failures },
          { title: 'last', value: (row: SignInBlock) => formatAge(row.last_at, now) },
          { title: 'waits until', value: (row: SignInBlock) => row.waits_until },
        ];
        printList(io, items, columns, options.json === true);
        return EXIT.ok;
      }),
    );

  withJson(withConnection(blocks.command('end')))
    .description('forget what failed from an address, and from its network where it is IPv6')
    .argument('<address>', 'as the list has it, or any other of its network')
    .action(
      runner.action(async (address: string, options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        await connection.call(signInBlockRoutes.end, { params: { address }, query: {} });
        if (options.json) printJson(io, { ended: address });
        else print(io, `Sign-ins from ${address} are looked at again.`);
        return EXIT.ok;
      }),
    );
}

export async function listSignInBlocks(connection: Connection): Promise<readonly SignInBlock[]> {
  return (await connection.call(signInBlockRoutes.list, {})).body.items;
}
