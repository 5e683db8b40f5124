import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as z from 'zod';
import { createTestController, type TestController } from '../../testing/controller.ts';
import type { JobType } from './model.ts';

const type: JobType<object> = {
  type: 'test.numbered',
  title: 'Counts',
  params: z.object({}),
  route: null,
  steps: [{ name: 'only', effects: 'repeatable', run: async () => ({ kind: 'done' }) }],
};

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
  t.controller.jobs.register(type);
});
afterAll(() => t.close());

const actor = { kind: 'system', id: null, name: 'test' } as const;

async function start(project: string | null, times = 1): Promise<number[]> {
  const numbers: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const made = await t.database.db
      .transaction()
      .execute((tx) => t.controller.jobs.enqueue(tx, type, { params: {}, project, actor }));
    numbers.push(made.number);
  }
  return numbers;
}

it('numbers count within a project, so that they reveal nothing about others', async () => {
  const [quiet, busy] = [await t.createProject(`quiet ${createId()}`), await t.createProject(`busy ${createId()}`)];
  expect(await start(quiet)).toEqual([1]);
  expect(await start(busy, 5)).toEqual([1, 2, 3, 4, 5]);
  await start(null, 3);
  expect(await start(quiet)).toEqual([2]);
});

it('a number names a job of the requested project, or of the installation without one', async () => {
  const [ours, theirs] = [await t.createProject(`ours ${createId()}`), await t.createProject(`theirs ${createId()}`)];
  await start(ours);
  await start(theirs, 2);
  const [own = 0] = await start(null);
  const read = (number: number, project?: string) =>
    t.owner.call('GET', `/api/v3/jobs/${number}${project === undefined ? '' : `?project=${project}`}`);
  expect((await read(1, ours)).body.project).toBe(ours);
  expect((await read(1, theirs)).body.project).toBe(theirs);
  expect((await read(own)).body.project).toBeNull();
  const member = await t.createMember('admin', ours);
  const foreign = await member.call('GET', `/api/v3/jobs/2?project=${ours}`);
  expect([foreign.status, foreign.body.code]).toEqual([404, 'record.not_found']);
  expect((await member.call('GET', `/api/v3/jobs/1?project=${theirs}`)).status).toBe(403);
  // An admin of a project must name it: jobs of several projects are never mixed.
  expect((await member.call('GET', '/api/v3/jobs')).body.code).toBe('project.missing');
});

it('two requests that create jobs of one project at once do not wait for each other', async () => {
  const project = await t.createProject(`together ${createId()}`);
  const held = Promise.withResolvers<void>();
  const made = Promise.withResolvers<number>();
  const { db } = t.database;
  const slow = db.transaction().execute(async (tx) => {
    made.resolve((await t.controller.jobs.enqueue(tx, type, { params: {}, project, actor })).number);
    await held.promise;
  });
  expect(await made.promise).toBe(1);
  expect(await start(project)).toEqual([2]);
  held.resolve();
  await slow;
});

it('the sequence of a project is deleted with it', async () => {
  const project = await t.createProject(`gone ${createId()}`);
  await start(project);
  expect((await t.owner.call('DELETE', `/api/v3/setting/project/${project}`)).status).toBe(204);
  await expect(start(project)).rejects.toThrow(/project/);
});
