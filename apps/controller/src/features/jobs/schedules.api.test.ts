import { ADMINS } from '@flotilla/contract';
import { createId, createSilentLogger } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createTestController, type TestController } from '../../test-controller.ts';
import type { JobType } from './model.ts';
import { forgetOldJobs } from './prune-store.ts';
import { Scheduler } from './scheduler.ts';

let t: TestController;
let scheduler: Scheduler;
const type: JobType<{ word: string; key?: string | undefined }> = {
  type: 'test.timed',
  title: 'Started by the clock',
  params: z.object({ word: z.string(), key: z.string().meta({ secret: true }).optional() }),
  route: { tag: 'Jobs', access: { kind: 'roles', roles: ADMINS } },
  steps: [{ name: 'only', effects: 'repeatable', run: async () => ({ kind: 'done' }) }],
};

beforeAll(async () => {
  t = await createTestController();
  t.controller.jobs.register(type);
  const { jobs, leadership } = t.controller;
  scheduler = new Scheduler({ database: t.database, jobs, leadership, logger: createSilentLogger() });
});
afterAll(async () => {
  await scheduler.close();
  await t.close();
});

const url = (rest = '', project = t.project) => `/api/v3/jobs/schedules${rest}?project=${project}`;
const jobsOf = async () => (await t.owner.call('GET', `/api/v3/jobs?project=${t.project}&type=test.timed`)).body.items;
const body = (name: string) => ({
  name,
  type: 'test.timed',
  cron: '0 3 1 1 *',
  params: { word: 'now', key: 'a secret key' },
});

it('starts one job for however many times were missed, once by whoever looks', async () => {
  const made = await t.owner.call('POST', url(), body('yearly'));
  expect(made.status).toBe(201);
  expect(JSON.stringify(made.body)).not.toContain('a secret key');
  const later = new Date(Date.parse(made.body.next_run_at) + 3 * 366 * 86_400_000);
  const before = (await jobsOf()).length;
  await Promise.all([scheduler.startDue(later), scheduler.startDue(later)]);
  await scheduler.startDue(later);
  expect((await jobsOf()).length).toBe(before + 1);
  const [schedule] = (await t.owner.call('GET', url())).body.items;
  expect(Date.parse(schedule.next_run_at)).toBeGreaterThan(later.getTime());
  expect(schedule.last_job).toBe((await jobsOf())[0].id);
  await t.owner.call('DELETE', url(`/${made.body.id}`));
});

it('is written anew, switched off and taken away; another project knows nothing of it', async () => {
  const { id } = (await t.owner.call('POST', url(), body('mine'))).body;
  expect((await t.owner.call('POST', url(), body('mine'))).body.code).toBe('record.exists');
  const other = await t.createProject(`other ${createId()}`);
  const foreign = await t.createMember('owner', other);
  expect((await foreign.call('GET', url('', other))).body.items).toEqual([]);
  expect((await foreign.call('PUT', url(`/${id}`, other), body('mine'))).status).toBe(404);
  expect((await foreign.call('DELETE', url(`/${id}`, other))).status).toBe(404);
  expect((await foreign.call('POST', url('', other), body('mine'))).status).toBe(201);
  const off = await t.owner.call('PUT', url(`/${id}`), { ...body('mine'), enabled: false });
  expect(off.body).toMatchObject({ enabled: false, next_run_at: null });
  expect((await t.owner.call('DELETE', url(`/${id}`))).status).toBe(204);
});

it('refuses what cannot be read, what is not known, and what only the program starts', async () => {
  const send = async (change: object) => (await t.owner.call('POST', url(), { ...body('wrong'), ...change })).body.code;
  expect(await send({ cron: '* * * * * *' })).toBe('schedule.invalid');
  expect(await send({ time_zone: 'Nowhere/City' })).toBe('schedule.invalid');
  expect(await send({ params: {} })).toBe('schedule.invalid');
  expect(await send({ type: 'test.unknown' })).toBe('job.unknown_type');
  expect(await send({ type: 'system.tidy', params: {} })).toBe('job.forbidden');
  const admin = await t.createMember('editor');
  expect((await admin.call('POST', url(), body('not mine'))).body.code).toBe('role.forbidden');
});

it('jobs are forgotten 30 days after their end, and none before', async () => {
  const count = async () => (await jobsOf()).length;
  const before = await count();
  expect(before).toBeGreaterThan(0);
  await t.database.db
    .updateTable('jobs')
    .set({ status: 'done', ended_at: new Date() })
    .where('type', '=', 'test.timed')
    .execute();
  await forgetOldJobs(t.database.db, new Date(Date.now() + 29 * 86_400_000));
  expect(await count()).toBe(before);
  await forgetOldJobs(t.database.db, new Date(Date.now() + 31 * 86_400_000));
  expect(await count()).toBe(0);
});
