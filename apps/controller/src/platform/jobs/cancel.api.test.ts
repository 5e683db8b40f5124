import { EDITORS } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createTestController, type TestController } from '../../testing/controller.ts';
import type { JobType } from './model.ts';

const WAIT = { interval: 25 };
let t: TestController;
let type: JobType<object>;
const begun = Promise.withResolvers<void>();
const open = Promise.withResolvers<void>();

beforeAll(async () => {
  t = await createTestController();
  type = {
    type: 'test.quick',
    title: 'One quick step',
    params: z.object({}),
    route: { family: 'jobs', access: { kind: 'roles', roles: EDITORS } },
    isSmall: true,
    steps: [
      {
        name: 'only',
        effects: 'repeatable',
        run: async () => {
          begun.resolve();
          await open.promise;
          return { kind: 'done' };
        },
      },
    ],
  };
  t.controller.jobs.register(type);
});
afterAll(() => t.close());

async function start(runAt?: Date): Promise<string> {
  const actor = { kind: 'user', id: t.owner.userId, name: t.owner.username } as const;
  const order = { params: {}, project: t.project, actor, ...(runAt && { runAt }) };
  return (await t.database.db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, type, order))).id;
}
const url = (rest: string) => `/api/v3/jobs/${rest}?project=${t.project}`;
const cancel = (id: string) => t.owner.call('POST', url(`${id}/cancel`));

it('the answer to a cancellation says whether it ends the job, or the job may end as done', async () => {
  const later = await cancel(await start(new Date(Date.now() + 3_600_000)));
  expect([later.status, later.body.outcome, later.body.job.status]).toEqual([202, 'ended', 'cancelled']);

  const id = await start();
  await begun.promise;
  const running = await cancel(id);
  expect([running.status, running.body.outcome, running.body.job.status]).toEqual([202, 'may_be_done', 'running']);
  expect(running.body.job.cancel_requested).toBe(true);
  open.resolve();
  const job = await vi.waitFor(async () => {
    const { body } = await t.owner.call('GET', url(id));
    expect(body.ended_at).not.toBeNull();
    return body;
  }, WAIT);
  expect([job.status, job.cancel_requested]).toEqual(['done', true]);
  expect((await cancel(id)).body.code).toBe('job.ended');
  expect((await cancel(createId())).status).toBe(404);
});
