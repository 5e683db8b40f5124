import { storageRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import { EXIT } from '../exit-codes.ts';
import { print, printJson } from '../output.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withConnection, withJson } from './scope-options.ts';

export function addStorageCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(withConnection(program.command('storage')))
    .description('what the database holds, and when the disk is full; for owners of the installation')
    .action(
      runner.action(async (options: CommonOptions) => {
        const { body } = await (await Connection.open(io, options)).call(storageRoutes.stats, {});
        if (options.json) {
          printJson(io, body);
          return EXIT.ok;
        }
        const { database, disk, growth } = body;
        const days = growth?.days_until_full;
        print(io, `database  ${toMiB(database.total_bytes)}`);
        if (disk) print(io, `free      ${toMiB(disk.free_bytes)} of ${toMiB(disk.total_bytes)}`);
        print(io, `growth    ${growth ? `${toMiB(growth.per_day_bytes)} a day` : 'not known before a day has passed'}`);
        if (days !== undefined && days !== null) print(io, `full in   ${Math.floor(days)} days`);
        return EXIT.ok;
      }),
    );
}

function toMiB(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
