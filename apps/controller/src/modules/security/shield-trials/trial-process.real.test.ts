import { isRunning } from '@flotilla/testkit';
import { afterEach, expect, it } from 'vitest';
import type { ExplainJob } from './trial-job.ts';
import { TrialProcess, type TrialProcessOptions } from './trial-process.ts';

const processes: TrialProcess[] = [];
afterEach(async () => {
  await Promise.all(processes.splice(0).map((trials) => trials.close()));
});

function open(options: Partial<TrialProcessOptions> = {}): TrialProcess {
  const trials = new TrialProcess({
    deadlineMs: 20_000,
    memoryMb: 256,
    jobsMax: 8,
    jobsPerPartyMax: 4,
    charsMax: 64 * 1024 * 1024,
    ...options,
  });
  processes.push(trials);
  return trials;
}

const domain = (i: number) =>
  `    - hosts: [h${i}.example.com]\n      policy: { engines: { rate_limit: { key: ip, requests_per_second: ${(i % 9) + 1} } } }\n`;
const policyOf = (domains: number) =>
  `apiVersion: flotilla.dev/v1\nkind: SecurityPolicy\nmetadata: { name: p }\nspec:\n  domains:\n${Array.from({ length: domains }, (_, i) => domain(i)).join('')}`;
const job = (domains = 1): ExplainJob => ({
  kind: 'explain',
  policies: [{ name: 'draft', content: policyOf(domains), files: [] }],
  request: { method: 'GET', url: 'https://h0.example.com/' },
  requestChars: 0,
});
const SMALL = {
  kind: 'explained',
  explanation: { verdict: 'allowed', match: { domain: { entry: 'h0.example.com' } } },
};

it('the trial process cancels a job that takes too long, and runs the next one', async () => {
  const trials = open({ deadlineMs: 2_000 });
  const slow = trials.run('a', job(100_000));
  const next = trials.run('a', job());
  await expect(slow).rejects.toMatchObject({ code: 'trial.too_slow' });
  expect(await next).toMatchObject(SMALL);
});

it('the trial process cancels a job that needs too much memory, and survives', async () => {
  const trials = open({ memoryMb: 24 });
  await expect(trials.run('a', job(60_000))).rejects.toMatchObject({ code: 'trial.too_large' });
  expect(await trials.run('a', job())).toMatchObject(SMALL);
});

it('the trial process accepts a limited number of jobs, fewer per project, and has room again afterwards', async () => {
  const trials = open({ jobsMax: 3, jobsPerPartyMax: 2 });
  const taken = [trials.run('a', job(200)), trials.run('a', job()), trials.run('b', job())];
  await expect(trials.run('a', job())).rejects.toMatchObject({ code: 'trial.busy' });
  await expect(trials.run('c', job())).rejects.toMatchObject({ code: 'trial.busy' });
  for (const answer of await Promise.all(taken)) expect(answer).toMatchObject(SMALL);
  expect(await trials.run('a', job())).toMatchObject(SMALL);
});

it('the trial process accepts a limited size, however few jobs that is', async () => {
  const trials = open({ charsMax: 100_000 });
  const taken = [trials.run('a', job()), trials.run('a', job(500)), trials.run('b', job())];
  await expect(trials.run('b', job(1_000))).rejects.toMatchObject({ code: 'trial.busy' });
  for (const answer of await Promise.all(taken)) expect(answer).toMatchObject(SMALL);
  // A job within the limit runs once nothing else waits.
  expect(await trials.run('b', job(1_500))).toMatchObject(SMALL);
});

it('the trial process lets projects take turns', async () => {
  const trials = open();
  const order: string[] = [];
  const run = (project: string) => trials.run(project, job()).then(() => order.push(project));
  await Promise.all([run('busy'), run('busy'), run('busy'), run('quiet'), run('other')]);
  expect(order).toEqual(['busy', 'quiet', 'busy', 'other', 'busy']);
});

it('the trial process does not block anything else while it works', async () => {
  const trials = open();
  let isDone = false;
  const work = trials.run('a', job(5_000)).finally(() => {
    isDone = true;
  });
  let turns = 0;
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    turns += 1;
  }
  await work;
  expect(turns).toBeGreaterThan(100);
});

it('the trial process ends when it is idle, and starts again for another job', async () => {
  const trials = open({ idleMs: 1 });
  for (let i = 0; i < 3; i += 1) {
    const answer = trials.run('a', job());
    const pid = trials.pid ?? 0;
    expect(await isRunning(pid)).toBe(true);
    expect(await answer).toMatchObject(SMALL);
    await expect.poll(() => isRunning(pid)).toBe(false);
  }
});

it('the trial process refuses jobs once it is closed, including waiting ones', async () => {
  const trials = open();
  const running = trials.run('a', job(20_000));
  const waiting = trials.run('a', job());
  const outcomes = Promise.allSettled([running, waiting]);
  await trials.close();
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'trial.busy' } });
  await expect(trials.run('a', job())).rejects.toMatchObject({ code: 'trial.busy' });
});
