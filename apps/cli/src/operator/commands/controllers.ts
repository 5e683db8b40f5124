import { type CallOutput, type ControllerView, controllerRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, note, printJson, printList } from '../output.ts';
import { isId } from '../project.ts';
import type { Runner } from './runner.ts';
import {
  type CommonOptions,
  openReach,
  type ReachOptions,
  withConnection,
  withJson,
  withReach,
} from './scope-options.ts';

type Connected = CallOutput<typeof controllerRoutes.data>['clients'][number];

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

  withReach(withJson(controllers.command('clients')))
    .description('which clients are connected now, and to which controller')
    .action(
      runner.action(async (options: ReachOptions) => {
        const { connection, project } = await openReach(io, options);
        const { body } = await connection.call(controllerRoutes.data, { query: { project } });
        if (options.json) {
          printJson(io, body);
          return EXIT.ok;
        }
        const hosts = new Map((await listControllers(connection, project)).map(({ id, hostname }) => [id, hostname]));
        const now = Date.now();
        const columns = [
          { title: 'client', value: (row: Connected) => row.name },
          { title: 'controller', value: ({ controller_id: id }: Connected) => hosts.get(id) ?? id },
          { title: 'since', value: (row: Connected) => formatAge(row.connected_at, now) },
          { title: 'controller id', value: (row: Connected) => row.controller_id },
        ];
        printList(io, { rows: body.clients, columns });
        const more = body.clients_total - body.clients.length;
        if (more > 0) note(io, `${more} more are connected.`);
        return EXIT.ok;
      }),
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

async function listControllers(connection: Connection, project?: string): Promise<ControllerView[]> {
  return (await connection.call(controllerRoutes.instances, { query: { project } })).body.instances;
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
