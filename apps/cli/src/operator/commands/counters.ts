import { metricsRoutes, type ShieldCounter } from '@flotilla/contract';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { print, printJson, renderTable } from '../output.ts';
import { requireClientId, requireServiceId } from '../records.ts';
import { parseMoment } from './moment.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface CounterOptions extends CommonOptions {
  readonly policy?: string;
  readonly service?: string;
  readonly client?: string;
  readonly since?: string;
  readonly until?: string;
}

/** Complete, other than events, of which filters tell a bounded number a second. */
export function addCounterCommand(program: Command, runner: Runner): void {
  const { io } = runner;
  withJson(withProject(program.command('counters')))
    .description('how many requests the filters allowed and blocked, by policy, engine and reason')
    .option('--policy <name>')
    .option('--service <name>', 'by name or id')
    .option('--client <name>', 'by name or id')
    .option('--since <time>', 'such as 15m, 2h, 3d, or a time')
    .option('--until <time>')
    .action(
      runner.action(async (options: CounterOptions) => {
        const scope = await openScope(io, options);
        const now = Date.now();
        const { policy, service, client, since, until } = options;
        const query = {
          project: scope.project,
          policy,
          ...(service !== undefined && { service_id: await requireServiceId(scope, service) }),
          ...(client !== undefined && { client_id: await requireClientId(scope, client) }),
          ...(since !== undefined && { from: parseMoment(since, now) }),
          ...(until !== undefined && { to: parseMoment(until, now) }),
        };
        const { body } = await scope.connection.call(metricsRoutes.shieldCounters, { query });
        const { allowed, blocked, detected, errors } = body.totals;
        if (options.json) printJson(io, body);
        else {
          print(io, `${body.from} to ${body.to}`);
          print(io, `${allowed} allowed, ${blocked} blocked, ${detected} detected, ${errors} errors of engines`);
          if (body.counters.length > 0) print(io, `\n${renderTable(COLUMNS, body.counters)}`);
        }
        return EXIT.ok;
      }),
    );
}

const COLUMNS = [
  { title: 'count', value: (row: ShieldCounter) => row.count },
  { title: 'verdict', value: (row: ShieldCounter) => row.verdict },
  { title: 'policy', value: (row: ShieldCounter) => row.policy },
  { title: 'engine', value: (row: ShieldCounter) => row.engine },
  { title: 'reason', value: (row: ShieldCounter) => row.reason },
];
