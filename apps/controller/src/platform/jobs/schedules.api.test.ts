import { ADMINS } from '@flotilla/contract';
import { createId, createSilentLogger } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { createTestController, type TestController } from '../../testing/controller.ts';
import type { JobType } from './model.ts';
import { forgetOldJobs } from './prune-store.ts';
import { Scheduler } from './scheduler.ts';

let t: TestController;
let scheduler: Scheduler;
const type: JobType<{ word: string; key?: string | undefined }> = {
  type: 'test.timed',
  title: 'Started on a schedule',
  params: z.object({ word: z.string(), key: z.string().meta({ secret: true }).optional() }),
  route: { family: 'jobs', access: { kind: 'roles', roles: ADMINS } },
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

it('a schedule starts one job for any number of missed runs, once for all controllers', async () => {
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

it('a schedule can be changed, disabled and deleted, and is invisible to another project', async () => {
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

it('a schedule is refused if it is malformed, of an unknown type, or reserved for the program', async () => {
  const send = async (change: object) => (await t.owner.call('POST', url(), { ...body('wrong'), ...change })).body.code;
  expect(await send({ cron: '* * * * * *' })).toBe('schedule.invalid');
  expect(await send({ time_zone: 'Nowhere/City' })).toBe('schedule.invalid');
  expect(await send({ params: {} })).toBe('schedule.invalid');
  expect(await send({ type: 'test.unknown' })).toBe('job.unknown_type');
  expect(await send({ type: 'system.tidy', params: {} })).toBe('job.forbidden');
  const admin = await t.createMember('editor');
  expect((await admin.call('POST', url(), body('not mine'))).body.code).toBe('role.forbidden');
});

it("the program's own schedules cannot be deleted, not even by an owner", async () => {
  const all = async () => (await t.owner.call('GET', '/api/v3/jobs/schedules')).body.items;
  const own = (await all()).filter(({ by }: { by: { kind: string } }) => by.kind === 'system');
  expect(own.map(({ type: name }: { type: string }) => name)).toContain('system.tidy');
  for (const { id } of own)
    expect((await t.owner.call('DELETE', `/api/v3/jobs/schedules/${id}`)).body.code).toBe('job.forbidden');
  expect(await all()).toEqual(expect.arrayContaining(own));
});

it('a project has at most 100 schedules, independently of other projects, and each can still be changed', async () => {
  const full = await t.createProject(`full ${createId()}`);
  const one = (await t.owner.call('POST', url('', full), body('the-first'))).body;
  await sql`insert into job_schedules (id, project_id, name, type, params, cron, time_zone, enabled, actor, created_at)
    select gen_random_uuid(), project_id, 'more-' || n, type, '{"word": "now"}', cron, time_zone, false, actor, now()
    from job_schedules, generate_series(1, 99) n where id = ${one.id}`.execute(t.database.db);
  const refused = await t.owner.call('POST', url('', full), body('one-too-many'));
  expect([refused.status, refused.body.code]).toEqual([409, 'setting.too_many']);
  expect((await t.owner.call('PUT', url(`/${one.id}`, full), body('the-first'))).status).toBe(200);
  const other = await t.owner.call('POST', url(), body('elsewhere'));
  expect(other.status).toBe(201);
  await t.owner.call('DELETE', url(`/${other.body.id}`));
});

it('a schedule that cannot start its job says why, waits longer each time, and does not delay others', async () => {
  const { db } = t.database;
  const make = async (name: string) => (await t.owner.call('POST', url(), body(name))).body;
  const broken = await make('a-broken-one');
  const strange = await make('a-strange-one');
  const fine = await make('a-fine-one');
  // Secrets encrypted for another schedule, which cannot be decrypted, and parameters of an old format.
  await sql`update job_schedules set params_sealed = other.params_sealed from job_schedules other
    where job_schedules.id = ${broken.id} and other.id = ${strange.id}`.execute(db);
  await db.updateTable('job_schedules').set({ params: '{"word": 7}' }).where('id', '=', strange.id).execute();
  const seen = async () => {
    const { items } = (await t.owner.call('GET', url())).body;
    return new Map<string, (typeof items)[number]>(items.map((item: { id: string }) => [item.id, item]));
  };
  const started = async () => (await jobsOf()).length;
  const before = await started();
  let now = new Date(Date.parse(fine.next_run_at) + 1000);
  await scheduler.startDue(now);
  expect(await started()).toBe(before + 1);
  let all = await seen();
  expect(all.get(fine.id)).toMatchObject({ failures: 0, error: null });
  expect(all.get(broken.id)).toMatchObject({ failures: 1, error: { code: 'schedule.failed' } });
  expect(all.get(strange.id)).toMatchObject({ failures: 1, error: { code: 'job.params' } });
  // A yearly rule is not retried before its time; a rule for every minute waits up to an hour.
  expect(Date.parse(all.get(broken.id).next_run_at)).toBeGreaterThan(now.getTime() + 300 * 86_400_000);
  await db.updateTable('job_schedules').set({ cron: '* * * * *' }).where('id', '=', broken.id).execute();
  const waits: number[] = [];
  for (let i = 0; i < 8; i += 1) {
    now = new Date(Date.parse((await seen()).get(broken.id).next_run_at) + 1000);
    await scheduler.startDue(now);
    waits.push(Math.round((Date.parse((await seen()).get(broken.id).next_run_at) - now.getTime()) / 60_000));
  }
  expect(waits).toEqual(waits.toSorted((a, b) => a - b));
  expect(waits[0]).toBeGreaterThanOrEqual(2);
  expect(waits.at(-1)).toBeLessThanOrEqual(61);
  // Saving the schedule clears its failures, and it starts.
  const fixed = await t.owner.call('PUT', url(`/${broken.id}`), body('a-broken-one'));
  expect(fixed.body).toMatchObject({ failures: 0, error: null });
  const count = await started();
  await scheduler.startDue(new Date(Date.parse(fixed.body.next_run_at) + 1000));
  all = await seen();
  expect(all.get(broken.id)).toMatchObject({ failures: 0, error: null });
  expect(await started()).toBeGreaterThan(count);
  for (const { id } of [broken, strange, fine]) await t.owner.call('DELETE', url(`/${id}`));
});

it('a schedule whose author may no longer start its job starts none, and says so', async () => {
  const admin = await t.createMember('admin');
  const { id, next_run_at } = (await admin.call('POST', url(), body('of-an-admin'))).body;
  const before = (await jobsOf()).length;
  const membership = `/api/v3/setting/users/${admin.userId}/memberships/${t.project}`;
  expect((await t.owner.call('PUT', membership, { role: 'viewer' })).status).toBeLessThan(300);
  await scheduler.startDue(new Date(Date.parse(next_run_at) + 1000));
  expect((await jobsOf()).length).toBe(before);
  const { items } = (await t.owner.call('GET', url())).body;
  const { error } = items.find((item: { id: string }) => item.id === id);
  expect([error.code, error.message]).toEqual([
    'job.forbidden',
    expect.stringContaining('the role viewer is not enough'),
  ]);
  await t.owner.call('DELETE', url(`/${id}`));
});

it('a schedule of a removed job type says so', async () => {
  const { id } = (await t.owner.call('POST', url(), body('of-a-feature-that-is-gone'))).body;
  await t.database.db.updateTable('job_schedules').set({ type: 'test.gone' }).where('id', '=', id).execute();
  const { items } = (await t.owner.call('GET', url())).body;
  expect(items.find((item: { id: string }) => item.id === id).error).toMatchObject({ code: 'job.unknown_type' });
  await t.owner.call('DELETE', url(`/${id}`));
});

it('jobs are deleted 30 days after their end, and not earlier', async () => {
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
