import {
  type CallInput,
  type CallOutput,
  type CommandListItem,
  type CommandResultRecord,
  commandRoutes,
} from '@flotilla/contract';
import type { Command } from 'commander';
import { stringify } from 'yaml';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { formatAge, note, print, printJson, printList } from '../output.ts';
import { collectPages } from '../paging.ts';
import { listServices, requireClientId, requireServiceId, type Scope } from '../records.ts';
import { parseSeconds } from './fleet.ts';
import { collect, LIMIT_DEFAULT, parseObject, withLimit } from './option-values.ts';
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
          const command = { service_id: await requireServiceId(scope, service) };
          const { results } = await send(runner, scope, { ...options, type, command });
          if (results.length === 0) note(io, `No client: the service names none.${advice}`);
          return exitCodeOfOutcomes(results);
        }),
      );
  }

  const commands = program
    .command('commands')
    .description('list and send commands to clients, and ask what became of them');
  withLimit(withJson(withProject(commands.command('list'))))
    .description('commands that were sent, newest first')
    .option('--client <name>', 'by name or id')
    .option('--service <name>', 'by name or id')
    .option('--type <type>', 'such as SERVICE; may be repeated', collect)
    .option('--outcome <outcome>', 'such as failed; may be repeated', collect)
    .action(
      runner.action(async (options: ListOptions) => {
        const scope = await openScope(io, options);
        const rows = await listCommands(scope, options);
        const columns = options.json ? [] : createColumns(await nameServices(scope, rows), Date.now());
        printList(io, { rows, columns }, options);
        return EXIT.ok;
      }),
    );

  withJson(withProject(commands.command('get')))
    .description('what became of a command')
    .argument('<id>')
    .option('--wait <seconds>', 'wait that long for its end', parseSeconds)
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

  withTargets(withJson(withProject(commands.command('send'))))
    .description('send any command, e.g. SERVICE --sub-type SUB_RESTART --service web')
    .argument('<type>')
    .option('--sub-type <name>', 'the exact operation of the type')
    .option('--service <name>', 'the service that it is for')
    .option('--body <json>', 'further members of the command')
    .action(
      runner.action(async (type: string, options: SendOptions) => {
        const scope = await openScope(io, options);
        const command = options.body === undefined ? {} : parseObject(options.body, '--body');
        if (options.service) command.service_id = await requireServiceId(scope, options.service);
        const { results } = await send(runner, scope, { ...options, type, command });
        if (results.length === 0) note(io, 'No client: nothing was sent.');
        for (const { result } of results) if (result !== undefined && !options.json) printJson(io, result);
        return exitCodeOfOutcomes(results);
      }),
    );
}

function createColumns(services: ReadonlyMap<string, string>, now: number) {
  type Row = CommandListItem;
  return [
    { title: 'type', value: (row: Row) => row.sub_type || row.type },
    { title: 'service', value: ({ service_id: id }: Row) => (id === null ? null : (services.get(id) ?? id)) },
    { title: 'client', value: (row: Row) => row.client_name },
    { title: 'outcome', value: (row: Row) => row.outcome },
    { title: 'by', value: (row: Row) => row.created_by },
    { title: 'sent', value: (row: Row) => formatAge(row.created_at, now) },
    { title: 'error', value: (row: Row) => row.error?.message },
    { title: 'id', value: (row: Row) => row.id },
  ];
}

/** Names by id; a service that is gone has none. */
async function nameServices(scope: Scope, rows: readonly CommandListItem[]): Promise<Map<string, string>> {
  if (rows.every(({ service_id: id }) => id === null)) return new Map();
  return new Map((await listServices(scope)).map(({ id, name }) => [id, name]));
}

async function listCommands(scope: Scope, options: ListOptions): Promise<CommandListItem[]> {
  const { type, outcome, client, service, limit = LIMIT_DEFAULT } = options;
  // Words that the API does not know are refused by it, with the ones that it does.
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
    .option('--wait <seconds>', 'wait that long for the outcomes', parseSeconds)
    .option('--dry-run', 'check and do nothing');
}

interface Order extends SendOptions {
  readonly type: string;
  readonly command: Record<string, unknown>;
}

/** Sends it, and prints what became of it for each client. */
async function send({ io }: Runner, scope: Scope, { type, command, ...options }: Order): Promise<Dispatched> {
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
  type Row = CommandResultRecord;
  const columns = [
    { title: 'client', value: (row: Row) => row.client_name ?? row.client_id },
    { title: 'outcome', value: (row: Row) => row.outcome },
    { title: 'ms', value: (row: Row) => row.duration_ms },
    { title: 'command', value: (row: Row) => row.command_id },
    { title: 'error', value: (row: Row) => row.error?.message },
  ];
  if (options.json) printJson(io, answer);
  else if (answer.results.length > 0) printList(io, { rows: answer.results, columns });
  return answer;
}

/** One failed target is a failure; one that has not ended yet is told apart from it. */
function exitCodeOfOutcomes(results: readonly Pick<CommandResultRecord, 'outcome'>[]): ExitCode {
  const has = (...outcomes: CommandResultRecord['outcome'][]) =>
    results.some(({ outcome }) => outcomes.includes(outcome));
  if (has('failed', 'refused', 'unknown')) return EXIT.failed;
  return has('pending', 'running') ? EXIT.unfinished : EXIT.ok;
}
