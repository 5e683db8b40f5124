import { type CloudPort, clientRoutes, cloudLookupRoutes } from '@flotilla/contract';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Input } from '../nouns/inputs.ts';
import { act, type Given, toTable, type Verb } from '../nouns/verb.ts';
import { clients } from './lookups.ts';

interface Where {
  readonly server?: string | undefined;
  readonly cloudProject?: string | undefined;
  readonly cloud?: string | undefined;
}

const CLIENT: Input = { flags: '<name>', lookup: clients };
const WHERE: readonly Input[] = [
  { flags: '--cloud-project <id>', help: 'project of the cloud, if the host does not tell it' },
  { flags: '--cloud <name>', help: 'one of several clouds in the settings of the project' },
];

export const INTERFACES: Verb = act(
  {
    help: 'ports of the OpenStack server on which a client runs',
    inputs: [CLIENT, { flags: '--server <id>', help: 'server of the cloud, if the host does not tell it' }, ...WHERE],
  },
  async (given, where: Where) => {
    const { params, query, serverId } = await locate(given, where);
    const server = requireFact(where.server ?? serverId, 'the id of its server', '--server');
    const { body } = await given.scope.connection.call(cloudLookupRoutes.interfaces, {
      params,
      query: { ...query, os_uuid: server },
    });
    return toTable(body.data, {
      name: ({ name, id }) => name || id,
      status: 'status',
      mac: 'mac_address',
      addresses: ({ fixed_ips: ips }) => ips.map(({ ip_address: address }) => address).join(' '),
      'also allowed': ({ allowed_address_pairs: pairs }) => pairs.map(({ ip_address: address }) => address).join(' '),
      network: ({ network_details: network, network_id: id }) => network?.name || id,
      subnets: describeSubnets,
    });
  },
);

export const FREE_IPS: Verb = act(
  {
    help: 'free addresses of a subnet of the OpenStack cloud of a client',
    inputs: [CLIENT, { flags: '<subnet>', help: 'id of the subnet, as "clients interfaces" prints it' }, ...WHERE],
  },
  async (given, where: Where & { readonly subnet: string }) => {
    const { params, query } = await locate(given, where);
    const { body } = await given.scope.connection.call(cloudLookupRoutes.availableIps, {
      params: { ...params, subnet_id: where.subnet },
      query,
    });
    return { json: body, text: body.data.available_ips.join('\n'), note: body.message };
  },
);

/** The client, and where it is in the cloud: as given, or as its host tells. */
async function locate({ scope, id }: Given, { cloudProject, cloud }: Where) {
  const params = { client_id: id('name') };
  const { body } = await scope.connection.call(clientRoutes.read, { params, query: { project: scope.project } });
  const project = cloudProject ?? body.cloud.project?.value;
  const query = {
    project: scope.project,
    cloud_project: requireFact(project, 'its project in the cloud', '--cloud-project'),
    cloud,
  };
  return { params, query, serverId: body.cloud.server_id?.value };
}

function requireFact(value: string | undefined, what: string, option: string): string {
  if (value === undefined)
    throw new CliFailure(EXIT.usage, `The client does not tell ${what}. Give it with ${option}.`);
  return value;
}

function describeSubnets({ network_details: network }: CloudPort): string {
  return (network?.subnets ?? []).map(({ id, cidr }) => `${cidr} (${id})`).join(' ');
}
