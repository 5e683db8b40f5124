import { type AuditHold, type AuditSink, auditKeepingRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { Connection } from '../connection.ts';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { printable, printList } from '../output.ts';
import { findProject } from '../project.ts';
import { parseMoment } from './moment.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, withConnection, withJson, withProject } from './scope-options.ts';

interface HoldOptions extends CommonOptions {
  readonly all?: boolean;
  readonly allProjects?: boolean;
  readonly reason?: string;
  readonly since?: string;
  readonly until?: string;
}

/** What keeps entries of the record from being pruned, and where else it goes: for owners of the installation. */
export function addAuditKeepingCommands(audit: Command, runner: Runner): void {
  const { io } = runner;
  const holds = audit.command('holds').description('what keeps entries from being pruned: list, add, release');

  withJson(withConnection(holds.command('list')))
    .description('holds in force')
    .option('--all', 'released ones as well')
    .action(
      runner.list(
        () => HOLD_COLUMNS,
        async (options: HoldOptions) => {
          const holds = await listHolds(await Connection.open(io, options));
          return options.all ? holds : holds.filter((hold) => hold.released_at === null);
        },
      ),
    );

  withJson(withConnection(holds.command('get')))
    .description('one hold, also after it was released')
    .argument('<hold>')
    .action(
      runner.show(async (id: string, options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        return (await connection.call(auditKeepingRoutes.getHold, { params: { hold_id: id } })).body;
      }),
    );

  withJson(withProject(holds.command('add')))
    .description('keep entries of the project until the hold is released')
    .requiredOption('--reason <text>', 'why, such as the number of a case')
    .option('--all-projects', 'entries of all projects, and of what concerns none')
    .option('--since <time>', 'entries from then on, such as 30d, or a time')
    .option('--until <time>', 'entries before then')
    .action(
      runner.answer(async (options: HoldOptions) => {
        if (options.allProjects && options.project !== undefined)
          throw new CliFailure(EXIT.usage, 'Say either --project or --all-projects.');
        const connection = await Connection.open(io, options);
        const named = options.project ?? (io.env.SVC_PROJECT || undefined);
        const now = Date.now();
        const body = {
          project: options.allProjects ? null : await findProject(connection, named),
          reason: options.reason ?? '',
          ...(options.since && { from: parseMoment(options.since, now) }),
          ...(options.until && { to: parseMoment(options.until, now) }),
        };
        const made = await connection.call(auditKeepingRoutes.createHold, { body });
        return { json: made.body, text: `Hold ${made.body.id} keeps ${describeHeld(made.body)}.` };
      }),
    );

  withJson(withConnection(holds.command('release')))
    .description('end a hold: what is older than it is kept goes in the next night')
    .argument('<hold>')
    .action(
      runner.answer(async (id: string, options: HoldOptions) => {
        const connection = await Connection.open(io, options);
        const { body } = await connection.call(auditKeepingRoutes.releaseHold, { params: { hold_id: id } });
        return { json: body, text: `Hold ${body.id} is released.` };
      }),
    );

  withJson(withConnection(audit.command('sinks')))
    .description('where entries are forwarded to, and how far behind; ends with 7 where one fails')
    .action(
      runner.action(async (options: CommonOptions) => {
        const connection = await Connection.open(io, options);
        const { body } = await connection.call(auditKeepingRoutes.listSinks, {});
        printList(io, { rows: body.items, columns: SINK_COLUMNS }, options);
        return body.items.some(({ state }) => state === 'failing') ? EXIT.unfinished : EXIT.ok;
      }),
    );
}

/** Those that hold first. */
export async function listHolds(connection: Connection): Promise<readonly AuditHold[]> {
  return (await connection.call(auditKeepingRoutes.listHolds, {})).body.items;
}

function describeHeld({ project, from, to, reason }: AuditHold): string {
  const times = [from && `from ${from}`, to && `before ${to}`].filter(Boolean).join(' ');
  const whose = project === null ? 'all projects' : `project ${project}`;
  return `the entries of ${whose}${times && `, ${times}`}: ${printable(reason)}`;
}

const HOLD_COLUMNS = [
  { title: 'id', value: (row: AuditHold) => row.id },
  { title: 'project', value: (row: AuditHold) => row.project ?? 'all' },
  { title: 'from', value: (row: AuditHold) => row.from },
  { title: 'before', value: (row: AuditHold) => row.to },
  { title: 'reason', value: (row: AuditHold) => row.reason },
  { title: 'by', value: (row: AuditHold) => row.created_by },
  { title: 'since', value: (row: AuditHold) => row.created_at },
  { title: 'released', value: (row: AuditHold) => row.released_at },
];

const SINK_COLUMNS = [
  { title: 'sink', value: (row: AuditSink) => row.name },
  { title: 'state', value: (row: AuditSink) => row.state },
  { title: 'position', value: (row: AuditSink) => row.position },
  { title: 'behind', value: (row: AuditSink) => row.lag_entries },
  { title: 'behind s', value: (row: AuditSink) => row.lag_seconds },
  { title: 'delivered', value: (row: AuditSink) => row.delivered_at },
  { title: 'failing since', value: (row: AuditSink) => row.failing_since },
  { title: 'last error', value: (row: AuditSink) => row.last_error },
];
