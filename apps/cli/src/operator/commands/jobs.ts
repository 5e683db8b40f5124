import { type CancelOutcome, type JobDetailView, type JobView, jobRoutes } from '@flotilla/contract';
import { sleep } from '@flotilla/kit';
import type { ProgramIo } from '../../programs.ts';
import { CliFailure, EXIT, type ExitCode } from '../exit-codes.ts';
import { createLookup } from '../nouns/lookup.ts';
import type { Noun } from '../nouns/noun.ts';
import { act, type Given, get, list, send } from '../nouns/verb.ts';
import { age, type Columns, note, printable, renderTable } from '../output.ts';
import { LIMIT } from './inputs.ts';
import { JOB_TYPE, SCHEDULES } from './job-schedules.ts';
import { users } from './lookups.ts';
import type { Reach } from './scope-options.ts';

const WATCH_EVERY_MS = 500;

const JOB = {
  flags: '<job>',
  help: 'number or id',
  to: 'job_id',
  lookup: createLookup(jobRoutes.list, { one: 'job', name: ({ number }) => String(number) }),
} as const;

const COLUMNS: Columns<JobView> = {
  job: 'number',
  status: 'status',
  '%': ({ progress }) => progress.percent,
  what: 'title',
  about: ({ resource }) => resource && `${resource.type} ${resource.name}`,
  by: ({ by }) => by.name,
  created: age('created_at'),
  error: ({ error }) => error?.message,
};

/** Commands accept the number of a job within its project or the installation, or its id. */
export const JOBS: Noun = {
  help: 'long-running work of the project: list, watch, cancel, retry',
  place: 'project or installation',
  verbs: {
    list: list(jobRoutes.list, {
      help: 'jobs, newest first; only your own unless you are an admin',
      inputs: [
        { flags: '--status <status>', to: 'status' },
        { ...JOB_TYPE, isRequired: undefined },
        { flags: '--user <name>', help: 'who started it, by name or id', to: 'user', source: users.source },
        LIMIT,
      ],
      columns: COLUMNS,
    }),
    get: get(jobRoutes.get, { help: 'one job with its steps', inputs: [JOB], text: describeJob }),
    watch: act(
      {
        help: 'follow a job to its end; exit code 1 if it fails, 10 if it is done but not for all targets',
        inputs: [JOB],
      },
      async ({ io, reach, name }) => {
        const job = await watchJob(io, reach, name('job'));
        return { json: job, text: describeJob(job), exit: exitCodeOf(job) };
      },
    ),
    cancel: send(jobRoutes.cancel, {
      help: 'stop a job and its children at their next step',
      inputs: [JOB],
      json: ({ job, outcome }) => ({ ...job, outcome }),
      text: ({ job, outcome }) => `Job ${job.number} ${CANCEL_OUTCOMES[outcome]}`,
    }),
    retry: act(
      {
        help: 'run an ended job again, as a new job',
        inputs: [
          JOB,
          { flags: '--failed-only', help: 'only for the targets that failed', conflicts: 'pendingOnly' },
          { flags: '--pending-only', help: 'only for the targets that were not tried' },
          { flags: '--reason <text>' },
        ],
      },
      async ({ reach: { connection, project }, name }, options: RetryOptions) => {
        const { body } = await connection.call(jobRoutes.retry, {
          params: { job_id: name('job') },
          query: { project },
          body: { retry_type: chooseRetry(options), ...(options.reason !== undefined && { reason: options.reason }) },
        });
        const { number } = body.job;
        const flag = project === undefined ? ' --installation' : '';
        return {
          json: body.job,
          text: `Job ${number} has started. Follow it with: flotilla jobs watch ${number}${flag}`,
        };
      },
    ),
    requeue: send(jobRoutes.requeue, {
      help: 'retry a dead job with all of its attempts',
      inputs: [JOB],
      json: ({ job }) => job,
      text: ({ job }) => `Job ${job.number} is being retried.`,
    }),
    stuck: list(jobRoutes.stuck, {
      help: 'running jobs that no controller works on',
      columns: COLUMNS,
    }),
    stats: get(jobRoutes.stats, {
      help: 'how many jobs there are by status and type, and how long the oldest has been waiting',
      text: (body) => {
        const waits = body.oldest_pending_s === null ? '' : `, the oldest for ${Math.round(body.oldest_pending_s)} s`;
        return [
          `${body.total_jobs} jobs, ${body.recent_jobs} of them created in the last 24 hours`,
          `${body.queue_size} wait${waits}; ${body.processing_jobs} run on ${body.active_workers} controllers`,
          ...[body.jobs_by_status, body.jobs_by_type].flatMap((counts) =>
            Object.entries(counts).map(([name, count]) => `  ${count} ${name}`),
          ),
        ].join('\n');
      },
    }),
    workers: list(jobRoutes.workers, {
      help: 'live controllers, and how many jobs each runs',
      columns: { controller: 'controller', slots: 'slots', busy: 'busy', 'last seen': age('seen_at') },
    }),
    types: list(jobRoutes.types, {
      help: 'the types of jobs',
      columns: { type: 'type', title: 'title', steps: ({ steps }) => steps.join(' ') },
    }),
    schedules: SCHEDULES,
  },
};

interface RetryOptions {
  readonly failedOnly?: boolean;
  readonly pendingOnly?: boolean;
  readonly reason?: string;
}

function chooseRetry({ failedOnly, pendingOnly }: RetryOptions): 'full' | 'failed_only' | 'pending_only' {
  if (pendingOnly) return 'pending_only';
  return failedOnly ? 'failed_only' : 'full';
}

/** Prints the progress to standard error until the job ends. Rejects after Ctrl-C. */
export async function followJob(io: ProgramIo, reach: Reach, name: string): Promise<JobDetailView> {
  const request = { params: { job_id: name }, query: { project: reach.project } };
  let shown = '';
  for (;;) {
    const { body: job } = await reach.connection.call(jobRoutes.get, request);
    if (job.ended_at !== null) return job;
    const line = `${job.status}  ${job.progress.percent} %  ${job.step?.name ?? ''}`.trimEnd();
    if (line !== shown) note(io, printable(line));
    shown = line;
    await sleep(WATCH_EVERY_MS, io.signal);
    io.signal.throwIfAborted();
  }
}

/** Follows a job like `followJob`; Ctrl-C ends only the watching. */
export async function watchJob(io: ProgramIo, reach: Reach, name: string): Promise<JobDetailView> {
  return followJob(io, reach, name).catch((error: unknown) => {
    if (!io.signal.aborted) throw error;
    throw new CliFailure(EXIT.unfinished, 'Stopped watching. The job continues.');
  });
}

/** Follows a job that another command has started. Throws if it does not succeed; `watch` continues to follow it. */
export async function followToSuccess(
  { io, reach }: Pick<Given, 'io' | 'reach'>,
  { number, watch }: { readonly number: number; readonly watch: string },
): Promise<JobDetailView> {
  const job = await followJob(io, reach, String(number)).catch((error: unknown) => {
    if (!io.signal.aborted) throw error;
    throw new CliFailure(EXIT.unfinished, `Job ${number} continues. Follow it with: ${watch}`);
  });
  if (exitCodeOf(job) === EXIT.ok) return job;
  throw new CliFailure(EXIT.failed, `Job ${number} is ${job.status}: ${job.error?.message ?? ''}`);
}

export function exitCodeOf({ status }: JobView): ExitCode {
  if (status === 'done' || status === 'no_work') return EXIT.ok;
  return status === 'done_with_errors' ? EXIT.differs : EXIT.failed;
}

const CANCEL_OUTCOMES: Readonly<Record<CancelOutcome, string>> = {
  ended: 'was cancelled before it started.',
  asked: 'is being cancelled.',
  may_be_done:
    'has one short step that has already started and may finish before it can be stopped. See: flotilla jobs get',
};

export function describeJob(job: JobDetailView): string {
  const columns: Columns<JobDetailView['steps'][number]> = {
    step: 'name',
    status: 'status',
    attempt: 'attempt',
    repeated: 'repeated',
    started: 'started_at',
  };
  const { done, total, failed, percent } = job.progress;
  return [
    `Job ${job.number}  ${job.title}`,
    `${job.status}  ${percent} %  ${done} of ${total} done, ${failed} failed`,
    ...(job.error ? [printable(`${job.error.code}: ${job.error.message}`)] : []),
    ...job.errors.map(({ target, message, pending }) =>
      printable(`  ${target}: ${message}${pending ? ' (not tried)' : ''}`),
    ),
    ...(job.errors_left_out > 0
      ? [`  and ${job.errors_left_out} more, which are not stored. Retry the whole job`]
      : []),
    ...(job.steps.length > 0 ? ['', renderTable(columns, job.steps)] : []),
  ].join('\n');
}
