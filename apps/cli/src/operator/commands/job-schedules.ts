import { type CallInput, jobRoutes, type ScheduleView } from '@flotilla/contract';
import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { print, printable, printJson, printList } from '../output.ts';
import type { Scope } from '../records.ts';
import { parseObject } from './option-values.ts';
import { readSecret } from './read-secret.ts';
import type { Runner } from './runner.ts';
import { type CommonOptions, openScope, withJson, withProject } from './scope-options.ts';

interface ScheduleOptions extends CommonOptions {
  readonly type?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly params?: string;
  readonly paramsStdin?: boolean;
  readonly off?: boolean;
  readonly on?: boolean;
}

type ScheduleBody = NonNullable<CallInput<typeof jobRoutes.createSchedule>['body']>;

/** What the clock starts in the project. Its jobs have the rights of whoever wrote the schedule last. */
export function addJobScheduleCommands(jobs: Command, runner: Runner): void {
  const { io } = runner;
  const schedules = withJson(withProject(jobs.command('schedules')))
    .description('what the clock starts in the project, when next, and what hinders it; or one schedule')
    .argument('[schedule]', 'name or id')
    .action(
      runner.action(async (name: string | undefined, options: ScheduleOptions) => {
        const scope = await openScope(io, options);
        if (name === undefined) {
          printList(io, { rows: await listSchedules(scope), columns: COLUMNS }, options);
          return EXIT.ok;
        }
        const schedule = await readSchedule(scope, name);
        if (options.json) printJson(io, schedule);
        else print(io, stringify(schedule).split('\n').map(printable).join('\n'));
        return EXIT.ok;
      }),
    );

  withContent(withJson(withProject(schedules.command('create'))))
    .description('start jobs of a type by the clock, with your rights')
    .argument('<name>')
    .requiredOption('--type <type>', 'of the jobs: flotilla jobs types')
    .requiredOption('--cron <fields>', 'minute, hour, day of month, month and day of week: "0 3 * * *"')
    .action(
      runner.answer(async (name: string, options: ScheduleOptions) => {
        const { type = '', cron = '' } = options;
        const { connection, project } = await openScope(io, options);
        const body = { name, type, cron, ...(await readContent(runner, options)) };
        const { body: made } = await connection.call(jobRoutes.createSchedule, { query: { project }, body });
        return { json: made, text: describeNext(made) };
      }),
    );

  withContent(withJson(withProject(schedules.command('change'))))
    .description('change a schedule, which runs with your rights from then on')
    .argument('<schedule>', 'name or id')
    .option('--cron <fields>', 'minute, hour, day of month, month and day of week')
    .addOption(new Option('--on', 'switch it on again').conflicts('off'))
    .action(
      runner.answer(async (name: string, options: ScheduleOptions) => {
        const scope = await openScope(io, options);
        const { id, ...before } = await readSchedule(scope, name);
        const { type, time_zone, enabled, params } = before;
        const cron = options.cron ?? before.cron;
        const kept = { name: before.name, type, cron, time_zone, enabled, params };
        const { body: changed } = await scope.connection.call(jobRoutes.updateSchedule, {
          params: { schedule_id: id },
          query: { project: scope.project },
          body: { ...kept, ...(await readContent(runner, options)) },
        });
        return { json: changed, text: describeNext(changed) };
      }),
    );

  withJson(withProject(schedules.command('delete')))
    .description('take a schedule away; jobs that it has started go on')
    .argument('<schedule>', 'name or id')
    .action(
      runner.answer(async (name: string, options: ScheduleOptions) => {
        const scope = await openScope(io, options);
        const { id } = await readSchedule(scope, name);
        const query = { project: scope.project };
        await scope.connection.call(jobRoutes.deleteSchedule, { params: { schedule_id: id }, query });
        return { json: { deleted: id }, text: `Schedule ${name} deleted.` };
      }),
    );
}

function withContent(command: Command): Command {
  return command
    .option('--time-zone <name>', 'such as Europe/Berlin; UTC unless told')
    .option('--params <json>', 'what its jobs are told; secrets go through --params-stdin')
    .option('--params-stdin', 'read what its jobs are told from standard input')
    .option('--off', 'switched off');
}

/** What was said of it; of one that is changed, secrets that are left out stay. */
async function readContent({ io }: Runner, options: ScheduleOptions): Promise<Partial<ScheduleBody>> {
  const { timeZone, params, paramsStdin, on, off } = options;
  if (params !== undefined && paramsStdin) throw new CliFailure(EXIT.usage, 'Say --params or --params-stdin.');
  const text = paramsStdin ? await readSecret(io) : params;
  return {
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(text !== undefined && { params: parseObject(text, paramsStdin ? 'Standard input' : '--params') }),
    ...((on || off) && { enabled: on === true }),
  };
}

export async function listSchedules({ connection, project }: Scope): Promise<readonly ScheduleView[]> {
  return (await connection.call(jobRoutes.schedules, { query: { project } })).body.items;
}

/** By name or id. */
async function readSchedule(scope: Scope, name: string): Promise<ScheduleView> {
  const found = (await listSchedules(scope)).filter((one) => one.id === name.toLowerCase() || one.name === name);
  const [only, ...others] = found;
  if (!only) throw new CliFailure(EXIT.notFound, `There is no schedule ${name} in this project.`);
  if (others.length > 0) {
    const ids = found.map(({ id, type }) => `${id} (${type})`).join(', ');
    throw new CliFailure(EXIT.usage, `Several schedules are called ${name}. Use the id: ${ids}`);
  }
  const { connection, project } = scope;
  return (await connection.call(jobRoutes.getSchedule, { params: { schedule_id: only.id }, query: { project } })).body;
}

function describeNext({ name, enabled, next_run_at: next }: ScheduleView): string {
  if (!enabled) return `Schedule ${name} is switched off.`;
  return next === null ? `Schedule ${name} never comes.` : `Schedule ${name} comes next at ${next}.`;
}

const COLUMNS = [
  { title: 'schedule', value: (row: ScheduleView) => row.name },
  { title: 'starts', value: (row: ScheduleView) => row.type },
  { title: 'cron', value: (row: ScheduleView) => row.cron },
  { title: 'zone', value: (row: ScheduleView) => row.time_zone },
  { title: 'next', value: (row: ScheduleView) => row.next_run_at ?? (row.enabled ? 'never' : 'off') },
  { title: 'failures', value: (row: ScheduleView) => row.failures },
  { title: 'error', value: (row: ScheduleView) => row.error?.message },
];
