import { createSilentLogger } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { Jobs, JobTypes } from '../../../platform/jobs/index.ts';
import { openKeyring } from '../../../platform/keyring/index.ts';
import { createControllerDatabase } from '../../../testing/database.ts';
import { createWorld } from '../collector/testing/world.ts';
import { createRewriteJob } from './job.ts';
import { RewriteRequests } from './requests.ts';

const WAIT = { interval: 20 };

let database: TestDatabase;
let jobs: Jobs;
const job = createRewriteJob({ readNaming: () => Promise.reject(new Error('not here')), now: () => new Date() });
beforeAll(async () => {
  database = await createControllerDatabase();
  jobs = new Jobs(new JobTypes(await openKeyring({ db: database.db, masterKey: '2a'.repeat(32), keyFile: '' })));
  jobs.register(job);
});
afterAll(() => database?.close());

const listJobs = (project: string) =>
  database.db
    .selectFrom('jobs')
    .select(['id', 'status', 'params'])
    .where('project_id', '=', project)
    .orderBy('number')
    .execute();

function open(): RewriteRequests {
  const logger = createSilentLogger();
  const times = { waitMs: 0, restMs: 0, retryMs: 20 };
  const requests = new RewriteRequests({ db: database.db, jobs, job, logger, times });
  onTestFinished(() => requests.close());
  return requests;
}

it('many changes of names start one job, and one that a job has missed starts another after its end', async () => {
  const { project } = await createWorld(database, 'changing');
  const requests = open();
  for (let change = 0; change < 20; change += 1) requests.request(project);
  await expect.poll(async () => (await listJobs(project)).length, WAIT).toBe(1);
  const [first] = await listJobs(project);
  expect(first?.params).toEqual({ apply: true, automatic: true });
  requests.request(project);
  await database.db
    .updateTable('jobs')
    .set({ status: 'done' })
    .where('id', '=', first?.id ?? '')
    .execute();
  await expect.poll(async () => (await listJobs(project)).length, WAIT).toBe(2);
});

it('a request for a project that does not exist starts nothing, and does not keep others from theirs', async () => {
  const { project } = await createWorld(database, 'existing');
  const requests = open();
  requests.request('01900000-0000-7000-8000-00000000dead');
  requests.request(project);
  await expect.poll(async () => (await listJobs(project)).length, WAIT).toBe(1);
});
