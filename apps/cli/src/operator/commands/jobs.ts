import { type CallInput, type CancelOutcome, type JobDetailView, type JobView, jobRoutes } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import { type Command, Option } from 'commander';
import { CliFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { formatAge, note, print, printable, printJson, renderTable } from '../output.ts';
import { collectPages } from '../paging.ts';
import { addJobQueueCommands } from './job-queue.ts';
import { addJobScheduleCommands } from './job-schedules.ts';
import { collect, LIMIT_DEFAULT, withLimit } from './option-values.ts';
import type { Runner } from './runner.ts';
import { openPlace, type PlaceOptions, type Reach, withJson, withPlace, withProject } from './scope-options.ts';

interface JobOptions extends PlaceOptions {
  readonly status?: string[];
  readonly type?: string[];
  readonly user?: string[];
  readonly limit?: number;
  readonly failedOnly?: boolean;
  readonly pendingOnly?: boolean;
  readonly reason?: string;
}

type Query = NonNullable<CallInput<typeof jobRoutes.list>['query']>;

const WATCH_EVERY_MS = 500;

/** Long work of the project. A job is named by its number, which is of the project or of the installation, or by its id. */
export function addJobCommands(program: Command, runner: Runner): void {
  const { io } = runner;
  const jobs = program.command('jobs').description('long work of the project: list, watch, cancel, do again');

  withLimit(withPlace(withJson(withProject(jobs.command('list')))))
    .description('jobs, newest first; only your own unless you are an admin')
    .option('--status <status>', 'such as running or failed; may be repeated', collect)
    .option('--type <type>', 'may be repeated', collect)
    .option('--user <name>', 'who started it, by name or id; may be repeated', collect)
    .action(
      runner.list(createColumns, async (options: JobOptions) => await listJobs(await openPlace(io, options), options)),
    );

  withPlace(withJson(withProject(jobs.command('get'))))
    .description('one job with its steps')
    .argument('<job>', 'number or id')
    .action(
      runner.answer(async (name: string, options: JobOptions) => {
        const job = await readJob(await openPlace(io, options), name);
        return { json: job, text: describeJob(job) };
      }),
    );

  withPlace(withJson(withProject(jobs.command('watch'))))
    .description('follow a job to its end; exit code 1 when it fails, 10 when it is done but not for all targets')
    .argument('<job>', 'number or id')
    .action(
      runner.action(async (name: string, options: JobOptions) => {
        const scope = await openPlace(io, options);
        const job = await followJob(runner, scope, name).catch((error: unknown) => {
          if (!io.signal.aborted) throw error;
          throw new CliFailure(EXIT.unfinished, 'The job goes on without being watched.');
        });
        if (options.json) printJson(io, job);
        else print(io, describeJob(job));
        return exitCodeOf(job);
      }),
    );

  withPlace(withJson(withProject(jobs.command('cancel'))))
    .description('stop a job and its children at their next step')
    .argument('<job>', 'number or id')
    .action(
      runner.answer(async (name: string, options: JobOptions) => {
        const { connection, project } = await openPlace(io, options);
        const { body } = await connection.call(jobRoutes.cancel, { params: { job_id: name }, query: { project } });
        return {
          json: { ...body.job, outcome: body.outcome },
          text: `Job ${body.job.number} ${CANCEL_OUTCOMES[body.outcome]}`,
        };
      }),
    );

  withPlace(withJson(withProject(jobs.command('retry'))))
    .description('do the work of an ended job again, as a new job')
    .argument('<job>', 'number or id')
    .addOption(new Option('--failed-only', 'only for the targets that failed').conflicts('pendingOnly'))
    .option('--pending-only', 'only for the targets that were not tried')
    .option('--reason <text>')
    .action(
      runner.answer(async (name: string, options: JobOptions) => {
        const { connection, project } = await openPlace(io, options);
        const { body } = await connection.call(jobRoutes.retry, {
          params: { job_id: name },
          query: { project },
          body: {
            retry_type: chooseRetry(options),
            ...(options.reason !== undefined && { reason: options.reason }),
          },
        });
        return {
          json: body.job,
          text: `Job ${body.job.number} has begun. Follow it with: flotilla jobs watch ${body.job.number}${options.installation ? ' --installation' : ''}`,
        };
      }),
    );

  withPlace(withJson(withProject(jobs.command('requeue'))))
    .description('give a dead job its attempts back')
    .argument('<job>', 'number or id')
    .action(
      runner.answer(async (name: string, options: JobOptions) => {
        const { connection, project } = await openPlace(io, options);
        const { body } = await connection.call(jobRoutes.requeue, { params: { job_id: name }, query: { project } });
        return { json: body.job, text: `Job ${body.job.number} is tried again.` };
      }),
    );

  withPlace(withJson(withProject(jobs.command('stuck'))))
    .description('running jobs that no controller holds any more, nor takes up')
    .action(
      runner.list(createColumns, async (options: JobOptions) => {
        const { connection, project } = await openPlace(io, options);
        return (await connection.call(jobRoutes.stuck, { query: { project } })).body.items;
      }),
    );

  addJobQueueCommands(jobs, runner);
  addJobScheduleCommands(jobs, runner);
}

function chooseRetry({ failedOnly, pendingOnly }: JobOptions): 'full' | 'failed_only' | 'pending_only' {
  if (pendingOnly) return 'pending_only';
  return failedOnly ? 'failed_only' : 'full';
}

export async function listJobs({ connection, project }: Reach, options: JobOptions = {}): Promise<JobView[]> {
  const { status, type, user, installation } = options;
  // Words that the API does not know are refused by it, with the ones that it does.
  const filters = { project, status, type, user, ...(installation && { installation: true }) } as Query;
  return collectPages(
    async (cursor, limit) => (await connection.call(jobRoutes.list, { query: { ...filters, cursor, limit } })).body,
    options.limit ?? LIMIT_DEFAULT,
  );
}

async function readJob({ connection, project }: Reach, name: string): Promise<JobDetailView> {
  return (await connection.call(jobRoutes.get, { params: { job_id: name }, query: { project } })).body;
}

/** Says on the side how far it is. Rejects when the terminal says that it is enough. */
export async function followJob({ io }: Runner, scope: Reach, name: string): Promise<JobDetailView> {
  let shown = '';
  for (;;) {
    const job = await readJob(scope, name);
    if (job.ended_at !== null) return job;
    const line = `${job.status}  ${job.progress.percent} %  ${job.step?.name ?? ''}`.trimEnd();
    if (line !== shown) note(io, printable(line));
    shown = line;
    await sleep(WATCH_EVERY_MS, io.signal);
    io.signal.throwIfAborted();
  }
}

function exitCodeOf({ status }: JobView): ExitCode {
  if (status === 'done' || status === 'no_work') return EXIT.ok;
  return status === 'done_with_errors' ? EXIT.differs : EXIT.failed;
}

const CANCEL_OUTCOMES: Readonly<Record<CancelOutcome, string>> = {
  ended: 'is cancelled before any of it ran.',
  asked: 'is being cancelled.',
  may_be_done: 'has one quick step, which was taken up: it may be done before it is stopped. `jobs get` tells.',
};

function createColumns(now: number) {
  return [
    { title: 'job', value: (row: JobView) => row.number },
    { title: 'status', value: (row: JobView) => row.status },
    { title: '%', value: (row: JobView) => row.progress.percent },
    { title: 'what', value: (row: JobView) => row.title },
    { title: 'about', value: (row: JobView) => row.resource && `${row.resource.type} ${row.resource.name}` },
    { title: 'by', value: (row: JobView) => row.by.name },
    { title: 'made', value: (row: JobView) => formatAge(row.created_at, now) },
    { title: 'error', value: (row: JobView) => row.error?.message },
  ];
}

function describeJob(job: JobDetailView): string {
  type Step = JobDetailView['steps'][number];
  const columns = [
    { title: 'step', value: (row: Step) => row.name },
    { title: 'status', value: (row: Step) => row.status },
    { title: 'attempt', value: (row: Step) => row.attempt },
    { title: 'repeated', value: (row: Step) => row.repeated },
    { title: 'begun', value: (row: Step) => row.started_at },
  ];
  const { done, total, failed, percent } = job.progress;
  return [
    printable(`Job ${job.number}  ${job.title}`),
    `${job.status}  ${percent} %  ${done} of ${total} done, ${failed} failed`,
    ...(job.error ? [printable(`${job.error.code}: ${job.error.message}`)] : []),
    ...job.errors.map(({ target, message, pending }) =>
      printable(`  ${target}: ${message}${pending ? ' (not tried)' : ''}`),
    ),
    ...(job.errors_left_out > 0 ? [`  and ${job.errors_left_out} more, which are not kept: retry all of it`] : []),
    ...(job.steps.length > 0 ? ['', renderTable(columns, job.steps)] : []),
  ].join('\n');
}
