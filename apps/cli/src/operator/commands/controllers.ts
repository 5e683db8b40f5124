import { type ControllerView, controllerRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, note, printJson } from '../output.ts';
import { isId } from '../project.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withConnection, withJson } from './scope-options.ts';

/** The controllers of the installation, for its owners. */
export function addControllerCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const controllers = program.command('controllers').description('the controllers of the installation');

  withJson(withConnection(controllers.command('list')))
    .description('which controllers there are, who leads, and how busy each is')
    .action(
      runner.list(
        (now) => [
          { title: 'host', value: (row: ControllerView) => row.hostname },
          { title: 'state', value: (row: ControllerView) => (row.live ? 'live' : 'gone') },
          { title: 'leads', value: (row: ControllerView) => row.is_leader },
          { title: 'address', value: (row: ControllerView) => row.rest_addr },
          { title: 'does', value: (row: ControllerView) => row.roles.toSorted().join(' ') },
          { title: 'agents', value: (row: ControllerView) => row.load?.agents },
          { title: 'jobs', value: (row: ControllerView) => row.load?.jobs },
          { title: 'started', value: (row: ControllerView) => formatAge(row.started_at, now) },
          { title: 'heard', value: (row: ControllerView) => formatAge(row.last_seen, now) },
          { title: 'version', value: (row: ControllerView) => row.version },
          { title: 'id', value: (row: ControllerView) => row.id },
        ],
        async (options: CommonOptions) => await listControllers(await Connection.open(io, options)),
      ),
    );

  withJson(withConnection(controllers.command('remove')))
    .description('take away a controller that is gone; one that was only asleep ends when it wakes')
    .argument('<controller>', 'id, or host name where only one that is gone has it')
    .action(
      runner.action(async (name: string, options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        const id = isId(name) ? name : await findGone(connection, name);
        await connection.call(controllerRoutes.remove, { params: { controller_id: id } });
        if (options.json) printJson(io, { removed: id });
        else note(io, `Controller ${name} was taken away.`);
        return EXIT.ok;
      }),
    );
}

async function listControllers(connection: Connection): Promise<ControllerView[]> {
  return (await connection.call(controllerRoutes.instances, {})).body.instances;
}

async function findGone(connection: Connection, hostname: string): Promise<string> {
  const gone = (await listControllers(connection)).filter((one) => one.hostname === hostname && !one.live);
  const [only] = gone;
  if (only && gone.length === 1) return only.id;
  const reason = only
    ? `${gone.length} controllers of that host are gone: name one by its id`
    : 'none of that host is gone';
  throw new CliFailure(EXIT.failed, `${hostname}: ${reason}. See: flotilla controllers list`);
}
