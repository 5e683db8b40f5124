import { type Fleet, fleetRoutes, LIST_LIMIT_MAX } from '@flotilla/contract';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { age, type Columns, note, print, printable, printJson, renderTable } from '../output.ts';
import { describeHealth } from './fleet.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

export function addFleetViewCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(withProject(program.command('fleet')))
    .description('services, clients and open configuration errors of the project; every role may use it')
    .action(
      runner.action(async (options: CommonOptions) => {
        const { connection, project } = await openScope(io, options);
        const { body } = await connection.call(fleetRoutes.read, { query: { project, limit: LIST_LIMIT_MAX } });
        if (options.json) printJson(io, body);
        else {
          print(io, describeFleet(body).join('\n'));
          for (const [what, { items, total }] of Object.entries(sectionsOf(body)))
            if (total > items.length) note(io, `Shown: ${items.length} of ${total} ${what}.`);
        }
        return EXIT.ok;
      }),
    );
}

const sectionsOf = ({ services, clients, errors }: Fleet) => ({ services, clients, errors });

function describeFleet({ services, clients, errors }: Fleet): string[] {
  type Service = Fleet['services']['items'][number];
  type Client = Fleet['clients']['items'][number];
  const serviceColumns: Columns<Service> = {
    service: 'name',
    status: 'status',
    health: ({ health }: Service) => describeHealth(health),
    connected: (row: Service) => `${row.connected} of ${row.deployed}`,
    version: 'version',
    errors: 'active_errors',
    listeners: (row: Service) => row.listeners.join(', '),
  };
  const clientColumns: Columns<Client> = {
    client: 'name',
    status: 'status',
    seen: age('last_seen'),
    services: (row: Client) => row.services.map(({ name }) => name).join(', '),
  };
  const nameOf = new Map(services.items.map(({ id, name }) => [id, name]));
  return [
    services.items.length > 0 ? renderTable(serviceColumns, services.items) : 'No services.',
    '',
    clients.items.length > 0 ? renderTable(clientColumns, clients.items) : 'No clients.',
    '',
    ...(errors.items.length === 0 ? ['No open configuration errors.'] : []),
    ...errors.items.map(({ severity, service_id: id, resource, message }) =>
      printable(`${severity}: ${nameOf.get(id) ?? id}: ${resource.name}: ${message}`),
    ),
  ];
}
