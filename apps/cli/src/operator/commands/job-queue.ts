import { type CallOutput, jobRoutes } from '@flotilla/contract';
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { formatAge, print, printable, printJson } from '../output.ts';
import type { Runner } from './runner.ts';
import { openPlace, type PlaceOptions, type Reach, withJson, withPlace, withProject } from './scope-options.ts';

type Worker = CallOutput<typeof jobRoutes.workers>['items'][number];
export type JobType = CallOutput<typeof jobRoutes.types>['items'][number];

/** The queue that jobs wait in, and who takes them up. */
export function addJobQueueCommands(jobs: Command, runner: Runner): void {
  const { io } = runner;

  withPlace(withJson(withProject(jobs.command('stats'))))
    .description('how many jobs there are by status and type, and how long the oldest waits')
    .action(
      runner.action(async (options: PlaceOptions) => {
        const { connection, project } = await openPlace(io, options);
        const query = { project, ...(options.installation && { installation: 'true' as const }) };
        const { body } = await connection.call(jobRoutes.stats, { query });
        if (options.json) printJson(io, body);
        else {
          const waits = body.oldest_pending_s === null ? '' : `, the oldest for ${Math.round(body.oldest_pending_s)} s`;
          print(io, `${body.total_jobs} jobs, ${body.recent_jobs} of them made in 24 hours`);
          print(
            io,
            `${body.queue_size} wait${waits}; ${body.processing_jobs} run on ${body.active_workers} controllers`,
          );
          for (const counts of [body.jobs_by_status, body.jobs_by_type])
            for (const [name, count] of Object.entries(counts)) print(io, printable(`  ${count} ${name}`));
        }
        return EXIT.ok;
      }),
    );

  withPlace(withJson(withProject(jobs.command('workers'))))
    .description('the controllers that are up, and how many jobs each runs')
    .action(
      runner.list(
        (now) => [
          { title: 'controller', value: (row: Worker) => row.controller },
          { title: 'slots', value: (row: Worker) => row.slots },
          { title: 'busy', value: (row: Worker) => row.busy },
          { title: 'heard', value: (row: Worker) => formatAge(row.seen_at, now) },
        ],
        async (options: PlaceOptions) => {
          const { connection, project } = await openPlace(io, options);
          return (await connection.call(jobRoutes.workers, { query: { project } })).body.items;
        },
      ),
    );

  withPlace(withJson(withProject(jobs.command('types'))))
    .description('the kinds of jobs that there are')
    .action(
      runner.list(
        () => [
          { title: 'type', value: (row: JobType) => row.type },
          { title: 'title', value: (row: JobType) => row.title },
          { title: 'steps', value: (row: JobType) => row.steps.join(' ') },
        ],
        async (options: PlaceOptions) => await listJobTypes(await openPlace(io, options)),
      ),
    );
}

/** Also for completion. */
export async function listJobTypes({ connection, project }: Reach): Promise<readonly JobType[]> {
  return (await connection.call(jobRoutes.types, { query: { project } })).body.items;
}
