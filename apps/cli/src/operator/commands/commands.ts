import {
  type CallInput,
  type CallOutput,
  type CommandListItem,
  type CommandResultRecord,
  commandRoutes,
  type Rollout,
  serviceRoutes,
} from '@flotilla/contract';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { age, type Columns, note, print, printable, printJson, printList } from '../output.ts';
import { collectPages } from '../paging.ts';
import { listServices, requireClientId, requireServiceId, type Scope } from '../records.ts';
import { exitCodeOfOutcomes } from './command-outcomes.ts';
import { addRolloutCommand } from './command-rollout.ts';
import { describeMissingAddresses, parseSeconds } from './fleet.ts';
import { collect, LIMIT_DEFAULT, parseObject, withLimit } from './option-values.ts';
import { describeRollout, followRollout } from './rollout.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface SendOptions extends CommonOptions {
  readonly client?: string[];
  readonly wait?: number;
  readonly subType?: string;
  readonly service?: string;
  readonly body?: string;
  readonly dryRun?: boolean;
}

interface ListOptions extends CommonOptions {
  readonly client?: string;
  readonly service?: string;
  readonly type?: string[];
  readonly outcome?: string[];
  readonly limit?: number;
}

type ListQuery = NonNullable<CallInput<typeof commandRoutes.list>['query']>;
type Dispatch = NonNullable<CallInput<typeof commandRoutes.dispatch>['body']>;
type Dispatched = CallOutput<typeof commandRoutes.dispatch>;

export function addCommandCommands(program: Command, runner: Runner): void {
  addDeployCommands(program, runner);
  const commands = program
    .command('commands')
    .description('list and send commands to clients, and show their outcomes');
  addHistoryCommands(commands, runner);
  addSendCommand(commands, runner);
  addRolloutCommand(commands, runner);
}

function addDeployCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  for (const [name, type, description, advice] of [
    ['deploy', 'DEPLOY', 'deploy a service to its clients, or to some of them', ' --client NAME deploys it to one.'],
    ['undeploy', 'UNDEPLOY', 'remove a deployed service from its clients, or from some of them', ''],
  ] as const) {
    withTargets(withJson(withProject(program.command(name))))
      .description(description)
      .argument('<service>')
      .action(
        runner.action(async (service: string, options: SendOptions) => {
          const scope = await openScope(io, options);
          const startedAt = Date.now();
          const command = { service_id: await requireServiceId(scope, service) };
          if (type === 'DEPLOY') await warnAboutAddresses(runner, scope, command);
          const answer = await send(scope, { ...options, type, command });
          const isDone = answer.results.length > 0 && answer.results.every(({ outcome }) => outcome === 'done');
          const wait = (options.wait ?? 0) - (Date.now() - startedAt) / 1000;
          const rollout =
            type === 'DEPLOY' && isDone && !options.dryRun
              ? await followRollout(runner, scope, { collection: 'services', name: service, wait })
              : undefined;
          printResults(runner, { ...answer, rollout }, options);
          if (answer.results.length === 0) note(io, `Nothing was sent: the service has no clients.${advice}`);
          return rollout ? exitCodeOfDeployment(runner, rollout, options) : exitCodeOfOutcomes(answer.results);
        }),
      );
  }
}

function addHistoryCommands(commands: Command, runner: Runner): void {
  const { io } = runner;
  withLimit(withJson(withProject(commands.command('list'))))
    .description('sent commands, newest first')
    .option('--client <name>', 'by name or id')
    .option('--service <name>', 'by name or id')
    .option('--type <type>', 'such as SERVICE; may be repeated', collect)
    .option('--outcome <outcome>', 'such as failed; may be repeated', collect)
    .action(
      runner.action(async (options: ListOptions) => {
        const scope = await openScope(io, options);
        const rows = await listCommands(scope, options);
        const columns = createColumns(options.json ? new Map() : await nameServices(scope, rows));
        printList(io, { rows, columns }, options);
        return EXIT.ok;
      }),
    );

  withJson(withProject(commands.command('get')))
    .description('the outcome of a command')
    .argument('<id>')
    .option('--wait <seconds>', 'how long to wait for the outcome', parseSeconds)
    .action(
      runner.action(async (id: string, options: SendOptions) => {
        const { connection, project } = await openScope(io, options);
        const query = { project, ...(options.wait !== undefined && { wait_ms: options.wait * 1000 }) };
        const { body } = await connection.call(commandRoutes.read, { params: { command_id: id }, query });
        if (options.json) printJson(io, body);
        else print(io, stringify(body));
        return exitCodeOfOutcomes([body]);
      }),
    );
}

function addSendCommand(commands: Command, runner: Runner): void {
  const { io } = runner;
  withTargets(withJson(withProject(commands.command('send'))))
    .description('send any command, e.g. SERVICE --sub-type SUB_RESTART --service web')
    .argument('<type>')
    .option('--sub-type <name>', 'the exact operation of the type')
    .option('--service <name>', 'the service that the command acts on')
    .option('--body <json>', 'further fields of the command')
    .action(
      runner.action(async (type: string, options: SendOptions) => {
        const scope = await openScope(io, options);
        const command = options.body === undefined ? {} : parseObject(options.body, '--body');
        if (options.service) command.service_id = await requireServiceId(scope, options.service);
        const answer = await send(scope, { ...options, type, command });
        const { results } = answer;
        printResults(runner, answer, options);
        if (results.length === 0) note(io, 'Nothing was sent: there are no clients.');
        for (const { result } of results) if (result !== undefined && !options.json) printJson(io, result);
        return exitCodeOfOutcomes(results);
      }),
    );
}

/** Warns if clients have no address: a listener that binds to the address of its client cannot be generated there. */
async function warnAboutAddresses({ io }: Runner, { connection, project }: Scope, params: { service_id: string }) {
  const { body } = await connection.call(serviceRoutes.read, { params, query: { project } });
  if (body.missing_addresses.length > 0) note(io, printable(describeMissingAddresses(body)));
}

function createColumns(services: ReadonlyMap<string, string>): Columns<CommandListItem> {
  return {
    type: (row) => row.sub_type || row.type,
    service: ({ service_id: id }) => (id === null ? null : (services.get(id) ?? id)),
    client: 'client_name',
    outcome: 'outcome',
    by: 'created_by',
    sent: age('created_at'),
    error: ({ error }) => error?.message,
    id: 'id',
  };
}

/** Returns names by id. Deleted services are missing. */
async function nameServices(scope: Scope, rows: readonly CommandListItem[]): Promise<Map<string, string>> {
  if (rows.every(({ service_id: id }) => id === null)) return new Map();
  return new Map((await listServices(scope)).map(({ id, name }) => [id, name]));
}

async function listCommands(scope: Scope, options: ListOptions): Promise<CommandListItem[]> {
  const { type, outcome, client, service, limit = LIMIT_DEFAULT } = options;
  // The API validates the values.
  const filters = {
    project: scope.project,
    type,
    outcome,
    ...(client !== undefined && { client_id: [await requireClientId(scope, client)] }),
    ...(service !== undefined && { service_id: [await requireServiceId(scope, service)] }),
  } as ListQuery;
  return collectPages(
    async (cursor, size) =>
      (await scope.connection.call(commandRoutes.list, { query: { ...filters, cursor, limit: size } })).body,
    limit,
  );
}

function withTargets(command: Command): Command {
  return command
    .option('--client <name>', 'only this client, by name or id; may be repeated', collect)
    .option('--wait <seconds>', 'how long to wait for the outcomes', parseSeconds)
    .option('--dry-run', 'check only; send nothing');
}

interface Order extends SendOptions {
  readonly type: string;
  readonly command: Record<string, unknown>;
}

async function send(scope: Scope, { type, command, ...options }: Order): Promise<Dispatched> {
  const clients: { client_id: string }[] = [];
  for (const name of options.client ?? []) clients.push({ client_id: await requireClientId(scope, name) });
  const body: Dispatch = { type, sub_type: options.subType ?? '', clients, command };
  const { body: answer } = await scope.connection.call(commandRoutes.dispatch, {
    query: {
      project: scope.project,
      ...(options.wait !== undefined && { wait_ms: options.wait * 1000 }),
      ...(options.dryRun && { dry_run: 'true' as const }),
    },
    body,
  });
  return answer;
}

function printResults(
  { io }: Runner,
  answer: Dispatched & { readonly rollout?: Rollout | undefined },
  { json }: CommonOptions,
): void {
  type Row = CommandResultRecord;
  const columns: Columns<Row> = {
    client: (row: Row) => row.client_name ?? row.client_id,
    outcome: 'outcome',
    ms: 'duration_ms',
    command: 'command_id',
    error: (row: Row) => row.error?.message,
  };
  if (json) printJson(io, answer);
  else if (answer.results.length > 0) printList(io, { rows: answer.results, columns });
}

/**
 * A client reports success when it runs the service, but Envoy may still refuse the configuration, which fails the deployment. With
 * `--wait`, the deployment is unfinished until every client runs the configuration.
 */
function exitCodeOfDeployment({ io }: Runner, rollout: Rollout, { wait, json }: SendOptions): ExitCode {
  const isUnfinished = wait !== undefined && !rollout.settled;
  if (!json && (rollout.state === 'refused' || isUnfinished)) note(io, describeRollout(rollout, Date.now()));
  if (rollout.state === 'refused') return EXIT.failed;
  return isUnfinished ? EXIT.unfinished : EXIT.ok;
}
