import { clientRoutes, enrolmentRoutes, serviceRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { CliFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { formatAge, note, print, printable, printJson, printList, renderTable } from '../output.ts';
import { listClients, listServices, requireClientId, requireServiceId, type Scope } from '../records.ts';
import { collect } from './option-values.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface ListOptions extends CommonOptions {
  readonly query?: string;
  readonly status?: string[];
}

export function addFleetCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(withProject(program.command('services')))
    .description('list services, or show what one runs and what went wrong with it')
    .argument('[name]')
    .option('--status <status>', 'Live, Partial, Offline or Not_Deployed; may be repeated', collect)
    .option('-q, --query <text>', 'part of the name')
    .action(
      runner.action(async (name: string | undefined, options: ListOptions) =>
        serviceList(runner, await openScope(io, options), { ...options, name }),
      ),
    );

  const clients = withJson(withProject(program.command('clients')))
    .description('list clients, or show the facts of one')
    .argument('[name]')
    .option('-q, --query <text>', 'search name, id, hostname, OS, architecture, version and addresses')
    .action(
      runner.action(async (name: string | undefined, options: ListOptions) =>
        clientList(runner, await openScope(io, options), { ...options, name }),
      ),
    );

  withJson(withProject(clients.command('token')))
    .description('make a token by which one host may join the project')
    .option('--note <text>', 'what it is for')
    .option('--ttl <seconds>', 'how long it may be used', parseSeconds)
    .action(
      runner.action(async (options: CommonOptions & { note?: string; ttl?: number }) => {
        const { connection, project } = await openScope(io, options);
        const { body } = await connection.call(enrolmentRoutes.createToken, {
          query: { project },
          body: { note: options.note, ttl_s: options.ttl },
        });
        if (options.json) printJson(io, body);
        else {
          note(io, `Valid once, until ${body.expires_at}. On the host run:`);
          print(io, body.command);
        }
        return EXIT.ok;
      }),
    );

  withJson(withProject(clients.command('delete')))
    .description('remove a client for good: its certificates are worth nothing from now on')
    .argument('<name>')
    .option('--force', 'also when services target it')
    .action(
      runner.answer(async (name: string, options: CommonOptions & { force?: boolean }) => {
        const scope = await openScope(io, options);
        const clientId = await requireClientId(scope, name);
        await scope.connection.call(clientRoutes.remove, {
          params: { client_id: clientId },
          query: { project: scope.project, ...(options.force && { force: 'true' as const }) },
        });
        return { json: { deleted: clientId }, text: `clients/${name} deleted` };
      }),
    );
}

/** All of them, or the one that is named. */
type Asked<Options> = Options & { readonly name: string | undefined };

export async function serviceList(runner: Runner, scope: Scope, asked: Asked<ListOptions>): Promise<ExitCode> {
  const { name, ...options } = asked;
  if (name !== undefined) return showService(runner, scope, { name, json: options.json });
  const services = await listServices(scope, { name: options.query, status: options.status });
  type Row = (typeof services)[number];
  const columns = [
    { title: 'name', value: (row: Row) => row.name },
    { title: 'status', value: (row: Row) => row.status },
    { title: 'version', value: (row: Row) => row.version },
    { title: 'deployed', value: (row: Row) => row.deployed },
    { title: 'addresses', value: (row: Row) => row.ip_addresses.join(', ') },
    { title: 'admin port', value: (row: Row) => row.admin_port },
    { title: 'errors', value: (row: Row) => row.active_errors },
  ];
  printList(runner.io, { rows: services, columns }, options);
  return EXIT.ok;
}

async function showService(
  { io }: Runner,
  scope: Scope,
  { name, json }: { name: string; json: boolean | undefined },
): Promise<ExitCode> {
  const { body } = await scope.connection.call(serviceRoutes.detail, {
    params: { service_id: await requireServiceId(scope, name) },
    query: { project: scope.project },
  });
  if (json) {
    printJson(io, body);
    return EXIT.ok;
  }
  const { service, nodes, errors } = body;
  print(io, printable(`${service.name}  ${service.status}  Envoy ${service.version}  revision ${service.revision}`));
  print(io, printable(`bootstrap ${service.bootstrap}  listeners ${service.listeners.join(', ') || '-'}`));
  if (service.policies.length > 0) print(io, printable(`policies ${service.policies.join(', ')}`));
  type Node = (typeof nodes)[number];
  const columns = [
    { title: 'client', value: (row: Node) => row.client_name },
    { title: 'connected', value: (row: Node) => row.connected },
    { title: 'phase', value: (row: Node) => row.phase },
    { title: 'envoy', value: (row: Node) => row.envoy_version },
    { title: 'admin port', value: (row: Node) => row.admin_port },
    { title: 'configuration', value: (row: Node) => row.rollout?.state },
    { title: 'policy', value: (row: Node) => row.policy_digest?.slice(0, 12) },
    { title: 'error', value: (row: Node) => row.error ?? row.policy_error ?? row.shield_problems[0] },
  ];
  if (nodes.length > 0) print(io, `\n${renderTable(columns, nodes)}`);
  const active = errors.filter(({ status }) => status === 'active');
  for (const { severity, resource, message, suggested_fix } of active) {
    print(io, printable(`${severity}: ${resource.type} ${resource.name}: ${message}`));
    if (suggested_fix) print(io, printable(`  ${suggested_fix}`));
  }
  return EXIT.ok;
}

export async function clientList({ io }: Runner, scope: Scope, asked: Asked<ListOptions>): Promise<ExitCode> {
  const { name, ...options } = asked;
  if (name !== undefined) {
    const params = { client_id: await requireClientId(scope, name) };
    const { body } = await scope.connection.call(clientRoutes.read, { params, query: { project: scope.project } });
    if (options.json) printJson(io, body);
    else print(io, stringify(body));
    return EXIT.ok;
  }
  const clients = await listClients(scope, options.query);
  const now = Date.now();
  type Row = (typeof clients)[number];
  const columns = [
    { title: 'name', value: (row: Row) => row.name },
    { title: 'status', value: (row: Row) => row.status },
    { title: 'version', value: (row: Row) => row.version },
    { title: 'addresses', value: (row: Row) => row.service_ip_count },
    // The load average of a minute for each core: above 100 some work waits.
    { title: 'load %', value: (row: Row) => row.cpu_percent?.toFixed(1) },
    { title: 'memory %', value: (row: Row) => row.memory_percent?.toFixed(1) },
    { title: 'seen', value: (row: Row) => formatAge(row.last_seen, now) },
    { title: 'id', value: (row: Row) => row.client_id },
  ];
  printList(io, { rows: clients, columns }, options);
  return EXIT.ok;
}

export function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 0)
    throw new CliFailure(EXIT.usage, `"${text}" is not a number of seconds`);
  return seconds;
}
