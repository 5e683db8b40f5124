import { EDITORS } from '@flotilla/contract';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createTestController, type TestCaller, type TestController } from '../../testing/controller.ts';
import type { JobType, StepResult } from './model.ts';

/** The rights and conditions for running a job again. */
const shared = { title: 'Of the tests', params: z.object({ word: z.string() }), attemptsMax: 1 } as const;
const dies = {
  name: 'only',
  effects: 'repeatable',
  run: async (): Promise<StepResult> => {
    throw new Error('always');
  },
} as const;
type Params = z.infer<typeof shared.params>;
const common: JobType<Params> = {
  ...shared,
  type: 'test.common',
  route: { family: 'jobs', access: { kind: 'roles', roles: EDITORS } },
  steps: [dies],
};
const owners: JobType<Params> = {
  ...shared,
  type: 'test.owners',
  route: { family: 'jobs', access: { kind: 'system_owner' } },
  steps: [dies],
};
const write = vi.fn(async () => {});
const small: JobType<Params> = {
  ...common,
  type: 'test.writes_at_its_end',
  isSmall: true,
  steps: [{ ...dies, run: async () => ({ kind: 'done', write }) }],
};

const WAIT = { interval: 50 };
let t: TestController;
let admin: TestCaller;

beforeAll(async () => {
  t = await createTestController();
  for (const type of [common, owners, small]) t.controller.jobs.register(type);
  admin = await t.createMember('admin');
});
afterAll(() => t?.close());

/** Starts a job as an owner and waits for its end. */
async function startAndEnd(type: JobType<Params>): Promise<{ id: string; status: string; error: { code: string } }> {
  const actor = { kind: 'user', id: t.owner.userId, name: t.owner.username } as const;
  const order = { params: { word: 'one' }, project: t.project, actor };
  const { id } = await t.database.db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, type, order));
  return vi.waitFor(async () => {
    const { body } = await t.owner.call('GET', `/api/v3/jobs/${id}?project=${t.project}`);
    expect(body.ended_at).not.toBeNull();
    return body;
  }, WAIT);
}

const ask = async (caller: TestCaller, id: string, what: 'retry' | 'requeue') => {
  const body = what === 'retry' ? {} : undefined;
  const answer = await caller.call('POST', `/api/v3/jobs/${id}/${what}?project=${t.project}`, body);
  return [answer.status, answer.body.code ?? answer.body.job.status];
};

it('nobody can requeue or repeat a job that they may not start, even if its own rights would allow it', async () => {
  const { id } = await startAndEnd(owners);
  for (const what of ['requeue', 'retry'] as const)
    expect(await ask(admin, id, what), what).toEqual([403, 'job.forbidden']);
  expect((await t.owner.call('GET', `/api/v3/jobs/${id}?project=${t.project}`)).body.status).toBe('dead');
  expect((await ask(admin, (await startAndEnd(common)).id, 'requeue'))[0]).toBe(202);
  expect((await ask(t.owner, id, 'requeue'))[0]).toBe(202);
});

it('an old job with unreadable parameters is refused as such', async () => {
  const { id } = await startAndEnd(common);
  await t.database.db.updateTable('jobs').set({ params: '{"word": 7}' }).where('id', '=', id).execute();
  for (const what of ['requeue', 'retry'] as const)
    expect(await ask(t.owner, id, what), what).toEqual([409, 'job.params']);
});

it('a small job that would write with its end fails instead of dropping the write', async () => {
  const job = await startAndEnd(small);
  expect([job.status, job.error.code]).toEqual(['failed', 'job.not_small']);
  expect(write).not.toHaveBeenCalled();
});
