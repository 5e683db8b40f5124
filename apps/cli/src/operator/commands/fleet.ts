import {
  type CallOutput,
  clientRoutes,
  enrolmentRoutes,
  type Health,
  type ServiceRecord,
  serviceRoutes,
} from '@flotilla/contract';
import { stringify } from 'yaml';
import { CliFailure, EXIT } from '../exit-codes.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, idAs, type Output, send, toTable, type Verb } from '../nouns/verb.ts';
import { age, type Columns, renderTable } from '../output.ts';
import { listClients, listServices, requireClientId, requireServiceId, type Scope } from '../records.ts';
import { LABEL, LABELS, readLabels } from './client-labels.ts';
import { FREE_IPS, INTERFACES } from './cloud-lookups.ts';
import { DISCOVERY } from './discovery.ts';
import { clients, services } from './lookups.ts';
import { UPGRADE } from './upgrade.ts';

/** Selects all records, or the one with this name. */
export interface ListFilter {
  readonly name?: string | undefined;
  readonly query?: string | undefined;
  readonly status?: string[] | undefined;
  readonly label?: readonly string[] | undefined;
}

const SHOW_SERVICES: Verb = act(
  {
    help: 'list services, or show what one runs and what went wrong with it',
    instead: 'fleet',
    inputs: [
      { flags: '[name]', source: services.source },
      { flags: '--status <status>', choices: ['Live', 'Partial', 'Offline', 'Not_Deployed'], isList: true },
      { flags: '-q, --query <text>', help: 'part of the name' },
    ],
  },
  async ({ scope }, wanted: ListFilter) => showServices(scope, wanted),
);

export const SERVICES: Noun = {
  help: 'list services, or show what one runs and what went wrong with it',
  place: 'project',
  self: SHOW_SERVICES,
  verbs: { discovery: DISCOVERY, upgrade: UPGRADE },
};

export const CLIENTS: Noun = {
  help: 'list clients, or show the facts of one',
  place: 'project',
  self: act(
    {
      help: 'list clients, or show the facts of one',
      instead: 'fleet',
      inputs: [
        { flags: '[name]', source: clients.source },
        {
          flags: '-q, --query <text>',
          help: 'part of name, id, hostname, OS, architecture, version, addresses, cloud or labels',
        },
        { flags: '--label <key=value>', help: 'or KEY for any value; all have to match', isList: true },
      ],
    },
    async ({ scope }, wanted: ListFilter) => showClients(scope, wanted),
  ),
  verbs: {
    token: send(enrolmentRoutes.createToken, {
      help: 'create a token that lets one host join the project',
      inputs: [
        { flags: '--note <text>', help: 'its purpose', to: 'note' },
        { flags: '--ttl <seconds>', help: 'how long it is valid', to: 'ttl_s', read: parseSeconds },
        { flags: '--label <key=value>', help: 'of the client', to: 'labels', isList: true, collect: readLabels },
      ],
      note: ({ expires_at: end }) => `Valid once, until ${end}. Run on the host:`,
      text: ({ command }) => command,
    }),
    interfaces: INTERFACES,
    'free-ips': FREE_IPS,
    label: LABEL,
    labels: LABELS,
    delete: send(clientRoutes.remove, {
      help: 'delete a client; its certificates are no longer valid',
      inputs: [
        { flags: '<name>', to: 'client_id', lookup: clients },
        { flags: '--force', help: 'also if services target it', to: 'force', value: 'true' },
      ],
      json: idAs('deleted', 'name'),
      text: (_, { name }) => `clients/${name('name')} deleted`,
    }),
  },
};

export async function showServices(scope: Scope, { name, query, status }: ListFilter): Promise<Output> {
  if (name !== undefined) return showService(scope, name);
  return toTable(
    await listServices(scope, { ...(query !== undefined && { name: query }), ...(status && { status }) }),
    {
      name: 'name',
      status: 'status',
      health: ({ health }) => describeHealth(health),
      version: 'version',
      deployed: 'deployed',
      addresses: ({ ip_addresses: addresses }) => addresses.join(', '),
      'admin port': 'admin_port',
      errors: 'active_errors',
    },
  );
}

type Detail = CallOutput<typeof serviceRoutes.detail>;
type Node = Detail['nodes'][number];

const NODE_COLUMNS: Columns<Node> = {
  client: 'client_name',
  connected: 'connected',
  phase: 'phase',
  envoy: 'envoy_version',
  'admin port': 'admin_port',
  health: describeNode,
  policy: ({ policy_digest: digest }) => digest?.slice(0, 12),
  error: (row) => row.error ?? row.policy_error ?? row.admin_error ?? row.shield_problems[0],
};

async function showService({ connection, project }: Scope, name: string): Promise<Output> {
  const params = { service_id: await requireServiceId({ connection, project }, name) };
  const { body } = await connection.call(serviceRoutes.detail, { params, query: { project } });
  return { json: body, text: describeService(body) };
}

function describeService({ service, nodes, errors }: Detail): string {
  const active = errors.filter(({ status }) => status === 'active');
  return [
    `${service.name}  ${service.status}  Envoy ${service.version}  revision ${service.revision}`,
    `health ${describeHealth(service.health)}`,
    ...(service.missing_addresses.length > 0 ? [describeMissingAddresses(service)] : []),
    `bootstrap ${service.bootstrap}  listeners ${service.listeners.join(', ') || '-'}`,
    ...(service.api_discovery ? ['API discovery on'] : []),
    ...(service.policies.length > 0 ? [`policies ${service.policies.join(', ')}`] : []),
    ...(nodes.length > 0 ? ['', renderTable(NODE_COLUMNS, nodes)] : []),
    ...active.flatMap(({ severity, resource, message, suggested_fix: fix }) => [
      `${severity}: ${resource.type} ${resource.name}: ${message}`,
      ...(fix ? [`  ${fix}`] : []),
    ]),
  ].join('\n');
}

/** For example `degraded: Cluster "shop" has unhealthy endpoints: ...`. */
export function describeHealth({ state, last_known: lastKnown, reasons: [worst] }: Health): string {
  const word = state.replaceAll('_', ' ');
  if (lastKnown !== null) return `${word}, last known: ${lastKnown.replaceAll('_', ' ')}`;
  return worst === undefined ? word : `${word}: ${worst.message}`;
}

function describeNode({ state, connected }: Node): string | undefined {
  const word = state?.replaceAll('_', ' ');
  return connected || word === undefined ? word : `unreachable, last known: ${word}`;
}

export function describeMissingAddresses({
  missing_addresses: missing,
  client_listeners: listeners,
}: Pick<ServiceRecord, 'missing_addresses' | 'client_listeners'>): string {
  const clients = missing.length === 1 ? '1 client has' : `${missing.length} clients have`;
  return `${clients} no IP address: ${listeners.join(', ')} binds to "@client" and cannot be generated there`;
}

export async function showClients(scope: Scope, { name, query, label }: ListFilter): Promise<Output> {
  if (name !== undefined) {
    const params = { client_id: await requireClientId(scope, name) };
    const { body } = await scope.connection.call(clientRoutes.read, { params, query: { project: scope.project } });
    return { json: body, text: stringify(body) };
  }
  return toTable(await listClients(scope, { q: query, label }), {
    name: 'name',
    status: 'status',
    version: 'version',
    addresses: 'service_ip_count',
    // Load average over one minute, per core. Above 100, processes wait for a core.
    'load %': ({ cpu_percent: percent }) => percent?.toFixed(1),
    'memory %': ({ memory_percent: percent }) => percent?.toFixed(1),
    seen: age('last_seen'),
    labels: ({ labels }) =>
      Object.entries(labels)
        .map(([key, value]) => `${key}=${value}`)
        .join(' '),
    id: 'client_id',
  });
}

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 0)
    throw new CliFailure(EXIT.usage, `"${text}" is not a number of seconds`);
  return seconds;
}
