import { type CallOutput, type ConfigErrorRecord, configErrorRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { formatAge, printList } from '../output.ts';
import { collectPages, PAGE_SIZE } from '../paging.ts';
import { requireServiceId, type Scope } from '../records.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface ErrorOptions extends CommonOptions {
  readonly all?: boolean;
}

type ServiceErrors = CallOutput<typeof configErrorRoutes.summary>['services'][number];

/** They go into the address of one request. */
const CLEARED_AT_ONCE = 100;
const RESOLVED_AT_ONCE = 1000;

/** What proxies, filters and the translation complain of. */
export function addConfigErrorCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const errors = program.command('errors').description('configuration errors of services: list, resolve, clear');

  withJson(withProject(errors.command('list')))
    .description('how many each service has; or those of one service, newest first')
    .argument('[service]', 'name or id')
    .option('--all', 'resolved ones as well')
    .action(
      runner.action(async (name: string | undefined, options: ErrorOptions) => {
        const scope = await openScope(io, options);
        if (name === undefined) {
          const { body } = await scope.connection.call(configErrorRoutes.summary, {
            query: { project: scope.project },
          });
          printList(io, { rows: body.services, columns: SERVICE_COLUMNS }, options);
        } else {
          const found = await listErrors(scope, await requireServiceId(scope, name), options);
          printList(io, { rows: found, columns: createColumns(Date.now()) }, options);
        }
        return EXIT.ok;
      }),
    );

  withChoice(withJson(withProject(errors.command('resolve'))))
    .description('mark errors as handled; one that occurs again is active again')
    .action(
      runner.answer(async (name: string, ids: readonly string[], options: ErrorOptions) => {
        const scope = await openScope(io, options);
        const params = { service_id: await requireServiceId(scope, name) };
        const chosen = options.all ? await listErrors(scope, params.service_id) : toChosen(ids);
        let changed = 0;
        for (const some of inParts(chosen, RESOLVED_AT_ONCE)) {
          const request = { params, query: { project: scope.project }, body: { ids: some } };
          changed += (await scope.connection.call(configErrorRoutes.resolve, request)).body.changed;
        }
        return { json: { changed }, text: `${changed} resolved` };
      }),
    );

  withChoice(withJson(withProject(errors.command('clear'))))
    .description('delete the records of errors')
    .action(
      runner.answer(async (name: string, ids: readonly string[], options: ErrorOptions) => {
        const scope = await openScope(io, options);
        const params = { service_id: await requireServiceId(scope, name) };
        const chosen = options.all ? await listErrors(scope, params.service_id, { all: true }) : toChosen(ids);
        let changed = 0;
        for (const some of inParts(chosen, CLEARED_AT_ONCE)) {
          const request = { params, query: { project: scope.project, ids: some } };
          changed += (await scope.connection.call(configErrorRoutes.clear, request)).body.changed;
        }
        return { json: { changed }, text: `${changed} deleted` };
      }),
    );
}

function withChoice(command: Command): Command {
  return command
    .argument('<service>', 'name or id')
    .argument('[id...]', 'of errors, as the list has them')
    .option('--all', 'all of the service');
}

function toChosen(ids: readonly string[]): { readonly id: string }[] {
  if (ids.length === 0) throw new CliFailure(EXIT.usage, 'Say which: their ids, or --all');
  return ids.map((id) => ({ id }));
}

function inParts(chosen: readonly { readonly id: string }[], size: number): string[][] {
  const ids = chosen.map(({ id }) => id);
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, i) => ids.slice(i * size, (i + 1) * size));
}

/** Active ones, unless all are asked for. */
function listErrors(
  { connection, project }: Scope,
  serviceId: string,
  { all }: Pick<ErrorOptions, 'all'> = {},
): Promise<ConfigErrorRecord[]> {
  const params = { service_id: serviceId };
  return collectPages(async (cursor) => {
    const query = { project, limit: PAGE_SIZE, cursor, ...(!all && { status: ['active' as const] }) };
    return (await connection.call(configErrorRoutes.list, { params, query })).body;
  });
}

const SERVICE_COLUMNS = [
  { title: 'service', value: (row: ServiceErrors) => row.name },
  { title: 'worst', value: (row: ServiceErrors) => row.status },
  { title: 'errors', value: (row: ServiceErrors) => row.count },
];

function createColumns(now: number) {
  return [
    { title: 'severity', value: (row: ConfigErrorRecord) => row.severity },
    { title: 'status', value: (row: ConfigErrorRecord) => row.status },
    { title: 'resource', value: (row: ConfigErrorRecord) => `${row.resource.type} ${row.resource.name}` },
    { title: 'message', value: (row: ConfigErrorRecord) => row.message },
    { title: 'times', value: (row: ConfigErrorRecord) => row.occurrence_count },
    { title: 'last', value: (row: ConfigErrorRecord) => formatAge(row.last_seen, now) },
    { title: 'id', value: (row: ConfigErrorRecord) => row.id },
  ];
}
