import { type AuditEntryView, type AuditVerdict, auditRoutes, type CallInput } from '@flotilla/contract';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { passOn, saveNewFile } from '../new-file.ts';
import { print, printJson, printList } from '../output.ts';
import { collectPages } from '../paging.ts';
import { addAuditKeepingCommands } from './audit-keeping.ts';
import { parseMoment } from './moment.ts';
import { collect, LIMIT_DEFAULT, withLimit } from './option-values.ts';
import type { Runner } from './runner.ts';
import { openReach, type ReachOptions, withJson, withReach } from './scope-options.ts';

interface AuditOptions extends ReachOptions {
  readonly user?: string[];
  readonly action?: string[];
  readonly outcome?: string[];
  readonly resourceType?: string[];
  readonly resourceId?: string[];
  readonly since?: string;
  readonly until?: string;
  readonly query?: string;
  readonly limit?: number;
  readonly format?: string;
  readonly out?: string;
}

type Filters = NonNullable<CallInput<typeof auditRoutes.stats>['query']>;

/** The record of the project: who did what, and what was denied. */
export function addAuditCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const audit = program.command('audit').description('the record: who did what, when and from where');

  withLimit(withFilters(withJson(withReach(audit.command('list')))))
    .description('entries, newest first')
    .action(
      runner.list(
        () => COLUMNS,
        async (options: AuditOptions) => {
          const { connection, project } = await openReach(io, options);
          const filters = toFilters(project, options);
          return collectPages(
            async (cursor, limit) =>
              (await connection.call(auditRoutes.list, { query: { ...filters, cursor, limit } })).body,
            options.limit ?? LIMIT_DEFAULT,
          );
        },
      ),
    );

  withJson(withReach(audit.command('get')))
    .description('one entry, with what changed')
    .argument('<id>')
    .action(
      runner.action(async (id: string, options: AuditOptions) => {
        const { connection, project } = await openReach(io, options);
        const { body } = await connection.call(auditRoutes.get, { params: { entry_id: id }, query: { project } });
        printJson(io, body);
        return EXIT.ok;
      }),
    );

  withFilters(withReach(audit.command('export')))
    .description('all entries that the filters leave, newest first: a line of JSON each, or CSV')
    .option('--format <format>', 'ndjson or csv; ndjson unless told')
    .option('--out <file>', 'a new file instead of the terminal; readable by its owner alone')
    .action(
      runner.action(async (options: AuditOptions) => {
        const { connection, project } = await openReach(io, options);
        const query = { ...toFilters(project, options), format: options.format } as Filters;
        const answer = await connection.open(auditRoutes.export, { query });
        if (options.out === undefined) await passOn(io, answer, { to: io.stdout });
        else await saveNewFile(io, answer, options.out);
        return EXIT.ok;
      }),
    );

  withJson(withReach(audit.command('verify')))
    .description('recompute every entry and link of the record; ends with 10 where it is not as it was written')
    .action(
      runner.action(async (options: AuditOptions) => {
        const { connection, project } = await openReach(io, options);
        const { body } = await connection.call(auditRoutes.verify, { query: { project } });
        if (options.json) printJson(io, body);
        else
          for (const verdict of body.items) {
            const whose = options.allProjects ? `${verdict.project ?? 'no project'}: ` : '';
            print(io, `${whose}${describeVerdict(verdict)}`);
          }
        return body.ok ? EXIT.ok : EXIT.differs;
      }),
    );

  withFilters(withJson(withReach(audit.command('stats'))))
    .description('how much was done, denied and failed, and by whom')
    .action(
      runner.action(async (options: AuditOptions) => {
        const { connection, project } = await openReach(io, options);
        const { body } = await connection.call(auditRoutes.stats, { query: toFilters(project, options) });
        if (options.json) printJson(io, body);
        else {
          const { total_entries: total, outcomes } = body;
          print(io, `${total} entries: ${outcomes.done} done, ${outcomes.denied} denied, ${outcomes.failed} failed`);
          for (const [title, counts] of [
            ['action', body.top_actions],
            ['who', body.top_users],
          ] as const) {
            const rows = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
            if (rows.length === 0) continue;
            const columns = [
              { title, value: ([name]: [string, number]) => name },
              { title: 'entries', value: ([, count]: [string, number]) => count },
            ];
            print(io, '');
            printList(io, { rows, columns });
          }
        }
        return EXIT.ok;
      }),
    );

  addAuditKeepingCommands(audit, runner);
}

function describeVerdict({
  checked,
  sealed_to: end,
  unsealed,
  checkpoints,
  pruned,
  first_bad: bad,
}: AuditVerdict): string {
  if (bad) return `${bad.kind}: ${bad.message} ${checked} entries before it are as they were written.`;
  const sealed = end ? `up to number ${end.seq}, ${end.hash}` : 'nothing sealed yet';
  if (pruned)
    return `${checked} entries after number ${pruned.seq}, up to which the record was pruned on ${pruned.at}, are as they were written (${sealed}); ${unsealed} not sealed yet, ${checkpoints} checkpoints`;
  return `${checked} entries are as they were written (${sealed}); ${unsealed} not sealed yet, ${checkpoints} checkpoints`;
}

function withFilters(command: Command): Command {
  return command
    .option('--user <name>', 'name or id of who did it; may be repeated', collect)
    .option('--action <name>', 'such as user.create; may be repeated', collect)
    .option('--outcome <outcome>', 'done, denied or failed; may be repeated', collect)
    .option('--resource-type <type>', 'may be repeated', collect)
    .option('--resource-id <id>', 'may be repeated', collect)
    .option('--since <time>', 'such as 15m, 2h, 3d, or a time')
    .option('--until <time>')
    .option('-q, --query <text>', 'within who, action, resource and path; or a whole request id');
}

function toFilters(project: string | undefined, options: AuditOptions): Filters {
  const now = Date.now();
  const filters = {
    project,
    user: options.user,
    action: options.action,
    outcome: options.outcome,
    resource_type: options.resourceType,
    resource_id: options.resourceId,
    q: options.query,
    ...(options.since && { from: parseMoment(options.since, now) }),
    ...(options.until && { to: parseMoment(options.until, now) }),
  };
  // Words that the API does not know are refused by it, with the ones that it does.
  return filters as Filters;
}

const COLUMNS = [
  { title: 'time', value: (row: AuditEntryView) => row.at },
  { title: 'who', value: (row: AuditEntryView) => row.actor.name ?? row.actor.kind },
  { title: 'action', value: (row: AuditEntryView) => row.action },
  { title: 'outcome', value: (row: AuditEntryView) => row.outcome },
  { title: 'resource', value: (row: AuditEntryView) => row.resource.name ?? row.resource.id },
  { title: 'address', value: (row: AuditEntryView) => row.request.client_ip },
  { title: 'error', value: (row: AuditEntryView) => row.error_code },
  { title: 'id', value: (row: AuditEntryView) => row.id },
];
