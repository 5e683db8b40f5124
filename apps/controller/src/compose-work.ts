import type { ComposeParts } from './compose-parts.ts';
import type { ControllerPresence } from './features/controllers/index.ts';
import { createEventRoutes, LiveEvents } from './features/events/index.ts';
import {
  createJobRoutes,
  createScheduleRoutes,
  findPermit,
  type JobType,
  JobWatch,
  Runner,
  Scheduler,
} from './features/jobs/index.ts';
import { createKeyRoutes, createResealJob } from './features/keys/index.ts';
import { createShieldTrialRoutes, TrialProcesses } from './features/shield-trials/index.ts';
import { createTidyJob } from './housekeeping.ts';
import type { Route } from './http/route.ts';

type PlainJob = JobType<Record<string, never>>;

/** What goes on beside requests, and what tells of it: live events, jobs, trials in processes of their own, housekeeping. */
export async function composeWork(
  { database, keyring, jobs, leadership, logger, metrics, lifecycle }: ComposeParts,
  presence: ControllerPresence,
  { retention, rechecks }: { retention: PlainJob; rechecks: Record<'directory' | 'providers', PlainJob> },
) {
  const events = new LiveEvents({ database, logger, metrics });
  await events.start();
  lifecycle.add(() => events.close());
  const trials = new TrialProcesses();
  lifecycle.add(() => trials.close());
  const watch = new JobWatch({
    database,
    logger,
    tell: (projects) => events.tellOf('job', projects),
  });
  await watch.start();
  lifecycle.add(() => watch.close());
  const runner = new Runner({
    database,
    logger,
    types: jobs.types,
    workerId: presence.controllerId,
    authorize: (question) => findPermit(database.db, question),
  });
  await runner.start();
  presence.counts('jobs', () => runner.busy);
  presence.counts('streams', () => events.hub.streams.size);
  await presence.takes('jobs');
  const tidy = createTidyJob({ db: database.db, logger });
  jobs.register(tidy);
  const reseal = createResealJob(keyring);
  jobs.register(reseal);
  const scheduler = new Scheduler({ database, jobs, leadership, logger });
  await scheduler.ensure(tidy, { name: 'tidy', cron: '*/10 * * * *' });
  jobs.register(retention);
  await scheduler.ensure(retention, { name: 'audit retention', cron: '20 3 * * *' });
  jobs.register(rechecks.directory);
  await scheduler.ensure(rechecks.directory, { name: 'people of the directory', cron: '*/5 * * * *' });
  jobs.register(rechecks.providers);
  await scheduler.ensure(rechecks.providers, { name: 'people of the providers', cron: '*/5 * * * *' });
  lifecycle.add(() => scheduler.close());
  lifecycle.add(() => runner.close());
  const routes: Route[] = [
    ...createJobRoutes({ jobs, watch }),
    ...createScheduleRoutes(jobs.types),
    ...createKeyRoutes({ keyring, jobs, reseal }),
    ...createEventRoutes(events.hub),
    ...createShieldTrialRoutes(trials, keyring),
  ];
  return {
    routes,
    /** Ends the answers that have no end of their own. */
    endStreams: async () => {
      await Promise.all([events.close(), watch.close()]);
    },
  };
}
