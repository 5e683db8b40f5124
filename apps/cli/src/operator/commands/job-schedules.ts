import { type CallInput, jobRoutes, type ScheduleView } from '@flotilla/contract';
import { stringify } from 'yaml';
import { CliFailure, EXIT } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, idAs, send, toTable } from '../nouns/verb.ts';
import type { Columns } from '../output.ts';
import { NAME } from './inputs.ts';
import { parseObject } from './option-values.ts';
import { readSecret } from './read-secret.ts';

interface ScheduleOptions {
  readonly schedule?: string;
  readonly cron?: string;
  readonly timeZone?: string;
  readonly params?: string;
  readonly paramsStdin?: boolean;
  readonly off?: boolean;
  readonly on?: boolean;
}

type ScheduleBody = NonNullable<CallInput<typeof jobRoutes.createSchedule>['body']>;

export const JOB_TYPE = {
  flags: '--type <type>',
  help: 'see: flotilla jobs types',
  to: 'type',
  lookup: createLookup(jobRoutes.types, { one: 'job type', name: ({ type }) => type }),
  isRequired: true,
} as const;

const schedules = createLookup(jobRoutes.schedules, {
  one: 'schedule',
  id: ({ id }) => id,
  name: ({ name }) => name,
  hint: ({ type }) => type,
});
const SCHEDULE = { flags: '<schedule>', help: 'name or id', to: 'schedule_id', lookup: schedules } as const;
const CRON = {
  flags: '--cron <fields>',
  help: 'minute, hour, day of month, month and day of week: "0 3 * * *"',
  to: 'cron',
} as const;
const CONTENT = [
  { flags: '--time-zone <name>', help: 'such as Europe/Berlin; UTC by default', to: 'time_zone' },
  { flags: '--params <json>', help: 'parameters of the jobs; give secrets with --params-stdin' },
  { flags: '--params-stdin', help: 'read the parameters of the jobs from standard input' },
] as const;
const OFF = { flags: '--off', help: 'switch it off', to: 'enabled', value: false } as const;

const COLUMNS: Columns<ScheduleView> = {
  schedule: 'name',
  starts: 'type',
  cron: 'cron',
  zone: 'time_zone',
  next: (row) => row.next_run_at ?? (row.enabled ? 'never' : 'off'),
  failures: 'failures',
  error: ({ error }) => error?.message,
};

/** Jobs of a schedule run with the rights of the user who last changed the schedule. */
export const SCHEDULES: Noun = {
  help: 'jobs of the project that start on a schedule, when next, and what prevents them; or one schedule',
  place: 'project',
  self: act(
    {
      help: '',
      inputs: [{ ...SCHEDULE, flags: '[schedule]', to: undefined }],
    },
    async (given, { schedule }: ScheduleOptions) => {
      if (schedule === undefined) return toTable(await schedules.list(given.reach), COLUMNS);
      const record = await readSchedule(given);
      return { json: record, text: stringify(record) };
    },
  ),
  verbs: {
    create: act(
      {
        help: 'start jobs of a type on a schedule, with your rights',
        route: jobRoutes.createSchedule,
        inputs: [NAME, JOB_TYPE, { ...CRON, isRequired: true }, ...CONTENT, OFF],
      },
      async (given, options: ScheduleOptions) => {
        const { connection, project } = given.scope;
        const body = { ...(given.request.body as ScheduleBody), ...(await readParams(given, options)) };
        const { body: created } = await connection.call(jobRoutes.createSchedule, { query: { project }, body });
        return { json: created, text: describeNext(created) };
      },
    ),
    change: act(
      {
        help: 'change a schedule, which runs with your rights from then on',
        route: jobRoutes.updateSchedule,
        inputs: [
          SCHEDULE,
          CRON,
          ...CONTENT,
          { flags: '--on', help: 'switch it on again', to: 'enabled', conflicts: 'off' },
          OFF,
        ],
      },
      async (given, options: ScheduleOptions) => {
        const { connection, project } = given.scope;
        const { id, name, type, cron, time_zone, enabled, params } = await readSchedule(given);
        const kept = { name, type, cron, time_zone, enabled, params };
        const { body: changed } = await connection.call(jobRoutes.updateSchedule, {
          params: { schedule_id: id },
          query: { project },
          body: { ...kept, ...given.request.body, ...(await readParams(given, options)) },
        });
        return { json: changed, text: describeNext(changed) };
      },
    ),
    delete: send(jobRoutes.deleteSchedule, {
      help: 'delete a schedule; jobs that it has started continue',
      inputs: [SCHEDULE],
      json: idAs('deleted', 'schedule'),
      text: (_, { name }) => `Schedule ${name('schedule')} deleted.`,
    }),
  },
};

/** Reads the parameters. A change keeps the stored secrets that it leaves out. */
async function readParams({ io }: Given, { params, paramsStdin }: ScheduleOptions): Promise<Partial<ScheduleBody>> {
  if (params !== undefined && paramsStdin) throw new CliFailure(EXIT.usage, 'Give either --params or --params-stdin.');
  const text = paramsStdin ? await readSecret(io) : params;
  return text === undefined ? {} : { params: parseObject(text, paramsStdin ? 'Standard input' : '--params') };
}

async function readSchedule({ scope: { connection, project }, id }: Given): Promise<ScheduleView> {
  const params = { schedule_id: id('schedule') };
  return (await connection.call(jobRoutes.getSchedule, { params, query: { project } })).body;
}

function describeNext({ name, enabled, next_run_at: next }: ScheduleView): string {
  if (!enabled) return `Schedule ${name} is switched off.`;
  return next === null ? `Schedule ${name} never starts.` : `Schedule ${name} starts next at ${next}.`;
}
