import { type CallOutput, serviceRoutes, snapshotRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { requireServiceId, type Scope } from '../records.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface SnapshotOptions extends CommonOptions {
  readonly client?: string;
}

type Node = CallOutput<typeof serviceRoutes.detail>['nodes'][number];

export function addSnapshotCommand(program: Command, runner: Runner): void {
  withJson(withProject(program.command('snapshot')))
    .description('what a service should run on a client, in the form that its Envoy receives, without private values')
    .argument('<service>', 'by name or id')
    .option('--client <name>', 'name or id; required if the service is on several clients')
    .action(
      runner.show(async (service: string, options: SnapshotOptions) => {
        const scope = await openScope(runner.io, options);
        const params = { nodeID: (await findNode(scope, service, options.client)).node_id };
        const query = { project: scope.project };
        return (await scope.connection.call(snapshotRoutes.getNodeSnapshot, { params, query })).body;
      }),
    );
}

async function findNode(scope: Scope, service: string, client: string | undefined): Promise<Node> {
  const params = { service_id: await requireServiceId(scope, service) };
  const { body } = await scope.connection.call(serviceRoutes.detail, { params, query: { project: scope.project } });
  const isMeant = ({ client_id, client_name }: Node) => client === client_id || client === client_name;
  const found = client === undefined ? body.nodes : body.nodes.filter(isMeant);
  const [only, ...others] = found;
  if (!only)
    throw new CliFailure(EXIT.notFound, `${service} is on no client${client === undefined ? '' : ` ${client}`}.`);
  if (others.length === 0) return only;
  const names = found.map(({ client_name, client_id }) => (client === undefined ? client_name : client_id));
  throw new CliFailure(EXIT.usage, `${service} is on several clients. Add --client: ${names.join(', ')}`);
}
