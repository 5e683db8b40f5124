import { EDITORS } from '@flotilla/contract';
import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { createTestController, type TestCaller, type TestController } from '../../testing/controller.ts';
import { type JobActor, type JobType, PermanentFailure } from './model.ts';

/** The tests define what the steps of these jobs do. */
const params = z.object({ name: z.string(), password: z.string().meta({ secret: true }).optional() });
type Params = z.infer<typeof params>;
type Run = JobType<Params>['steps'][0]['run'];

let t: TestController;
let runs: { first: Run; second: Run };
let child: JobType<Params>;
let type: JobType<Params>;
const WAIT = { interval: 25 };

beforeAll(async () => {
  t = await createTestController();
  const shared = { params, route: { family: 'jobs', access: { kind: 'roles', roles: EDITORS } } } as const;
  child = {
    ...shared,
    type: 'test.child',
    title: 'A child',
    isSmall: true,
    steps: [
      {
        name: 'only',
        effects: 'repeatable',
        run: async (ctx) => {
          if (ctx.params.name === 'bad') throw new PermanentFailure('test.bad', 'This one cannot be done.');
          return { kind: 'done' };
        },
      },
    ],
  };
  type = {
    ...shared,
    type: 'test.work',
    title: 'Work of the tests',
    attemptsMax: 1,
    lockKey: (given) => given.name,
    onlyFor: (given, targets) => ({ ...given, name: `only ${targets.join()}` }),
    steps: [
      { name: 'first', effects: 'repeatable', run: (ctx) => runs.first(ctx) },
      { name: 'second', effects: 'repeatable', run: (ctx) => runs.second(ctx) },
    ],
  };
  t.controller.jobs.register(child);
  t.controller.jobs.register(type);
});
beforeEach(() => {
  const done: Run = async () => ({ kind: 'done' });
  runs = { first: done, second: done };
});
afterAll(() => t.close());

const actorOf = (caller: TestCaller): JobActor => ({ kind: 'user', id: caller.userId, name: caller.username });

async function start(given: Partial<Params> & { project?: string; by?: TestCaller } = {}) {
  const { project = t.project, by = t.owner, ...rest } = given;
  const order = { params: { name: createId(), ...rest }, project, actor: actorOf(by) };
  return t.database.db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, type, order));
}

const url = (rest: string, project = t.project) =>
  `/api/v3/jobs${rest}${rest.includes('?') ? '&' : '?'}project=${project}`;
const read = async (id: string | number) => (await t.owner.call('GET', url(`/${id}`))).body;
const until = (id: string, status: string) =>
  vi.waitFor(async () => {
    const job = await read(id);
    if (job.status !== status) throw new Error(JSON.stringify(job));
    return job;
  }, WAIT);

const untilOver = (id: string) =>
  vi.waitFor(async () => {
    const job = await read(id);
    expect(job.ended_at).not.toBeNull();
    return job;
  }, WAIT);

const spawn = (ctx: Parameters<Run>[0], ...names: string[]) =>
  ctx.spawn(
    child,
    names.map((name, i) => ({ key: `${i}`, params: { name } })),
  );

/** A step that runs until it is stopped or the gate opens. */
function createGate() {
  const begun = Promise.withResolvers<void>();
  const open = Promise.withResolvers<void>();
  const run: Run = async (ctx) => {
    begun.resolve();
    const stopped = new Promise((_, reject) =>
      ctx.signal.addEventListener('abort', () => reject(new Error('stopped'))),
    );
    await Promise.race([open.promise, stopped]);
    return { kind: 'done' };
  };
  return { run, begun: begun.promise, open: () => open.resolve() };
}

it('a job runs its steps, is found by id and number, and reports its end', async () => {
  runs.second = async (ctx) => {
    await ctx.progress(3, 4, 1);
    return { kind: 'done' };
  };
  const { id, number } = await start();
  const job = await until(id, 'done');
  expect(job).toMatchObject({ number, type: 'test.work', title: 'Work of the tests', step: null, error: null });
  expect(job.progress).toEqual({ done: 3, total: 4, failed: 1, percent: 75 });
  expect(job.steps.map((step: { name: string; status: string }) => [step.name, step.status])).toEqual([
    ['first', 'done'],
    ['second', 'done'],
  ]);
  expect((await read(number)).id).toBe(id);
});

it('an answer contains the events after the last seen one, if requested (screen bug 1)', async () => {
  const { id } = await start();
  expect(await until(id, 'done')).not.toHaveProperty('events');
  const after = (seq: number) => read(`${id}?events_after=${seq}`);
  const { events } = await after(0);
  expect(events.map(({ seq }: { seq: number }) => seq)).toEqual(events.map((_: unknown, index: number) => index + 1));
  expect(events.at(-1)).toMatchObject({ kind: 'ended', at: expect.any(String) });
  expect((await after(1)).events).toEqual(events.slice(1));
  expect((await after(events.length)).events).toEqual([]);
});

it('two projects see nothing of each other, and a member who is not an admin sees only their own jobs', async () => {
  const other = await t.createProject(`other ${createId()}`);
  const foreign = await t.createMember('owner', other);
  const editor = await t.createMember('editor');
  const name = createId();
  // Our job is not the first of its project, so its number does not exist in the other one.
  await start();
  const ours = await start({ name });
  // The same key in another project is another lock.
  const theirs = await start({ name, project: other, by: foreign });
  const own = await start({ by: editor });
  const idsOf = async (caller: TestCaller, project: string, rest = '') =>
    (await caller.call('GET', url(rest, project))).body.items.map((job: { id: string }) => job.id);
  expect(await idsOf(foreign, other)).toEqual([theirs.id]);
  expect(await idsOf(foreign, other, `?q=${ours.number}`)).toEqual([]);
  expect(await idsOf(editor, t.project)).toEqual([own.id]);
  expect(await idsOf(t.owner, t.project)).toEqual(expect.arrayContaining([ours.id, own.id]));
  expect((await foreign.call('GET', url('/stats', other))).body.total_jobs).toBe(1);
  expect((await editor.call('GET', url('/stats'))).body.total_jobs).toBe(1);
  for (const key of [ours.id, ours.number]) {
    for (const [method, rest] of [
      ['GET', ''],
      ['GET', '/events'],
      ['POST', '/cancel'],
      ['POST', '/retry'],
      ['DELETE', ''],
    ] as const) {
      const body = method === 'POST' && rest === '/retry' ? {} : undefined;
      const answers = [
        await foreign.call(method, url(`/${key}${rest}`, other), body),
        await editor.call(method, url(`/${key}${rest}`), body),
      ];
      for (const answer of answers) expect([answer.status, answer.body.code]).toEqual([404, 'record.not_found']);
    }
  }
});

it('cancelling stops the running step, and the job ends when it has stopped', async () => {
  const gate = createGate();
  runs.first = gate.run;
  const { id } = await start();
  await gate.begun;
  const answer = await t.owner.call('POST', url(`/${id}/cancel`));
  expect([answer.status, answer.body.job.cancel_requested, answer.body.outcome]).toEqual([202, true, 'asked']);
  expect(answer.headers.location).toBe(`/api/v3/jobs/${id}?project=${t.project}`);
  const job = await until(id, 'cancelled');
  expect(job.steps).toHaveLength(1);
  expect((await t.owner.call('DELETE', url(`/${id}`))).body.code).toBe('job.ended');
});

it('a waiting job is cancelled at once, with its children', async () => {
  runs.first = async (ctx) => {
    await ctx.spawn(type, [{ key: 'one', params: { name: `${ctx.params.name} child` } }]);
    return { kind: 'wait_for_children' };
  };
  const gate = createGate();
  const outer = runs.first;
  runs.first = (ctx) => (ctx.params.name.endsWith('child') ? gate.run(ctx) : outer(ctx));
  const { id } = await start();
  await gate.begun;
  await until(id, 'waiting');
  await t.owner.call('POST', url(`/${id}/cancel`));
  await until(id, 'cancelled');
  const children = (await t.owner.call('GET', url(`?parent=${id}`))).body.items;
  expect(children.map((job: { status: string }) => job.status)).toEqual(['cancelled']);
});

it('a job cancelled while its last step waits for children ends as cancelled and not as done', async () => {
  const gate = createGate();
  runs.first = async (ctx) => (ctx.params.name.endsWith('child') ? gate.run(ctx) : { kind: 'done' });
  runs.second = async (ctx) => {
    await ctx.spawn(type, [{ key: 'one', params: { name: `${ctx.params.name} child` } }]);
    return { kind: 'wait_for_children' };
  };
  const { id } = await start();
  await gate.begun;
  await until(id, 'waiting');
  await t.owner.call('POST', url(`/${id}/cancel`));
  expect((await untilOver(id)).status).toBe('cancelled');
});

it('a job continues when its children have ended, and reports if one of them failed', async () => {
  runs.first = async (ctx) => {
    await spawn(ctx, 'good', 'bad', 'good');
    return { kind: 'wait_for_children' };
  };
  const { id } = await start();
  const job = await until(id, 'done_with_errors');
  expect(job.children).toEqual({ total: 3, open: 0, failed: 1 });
  expect(job.progress).toEqual({ done: 3, total: 3, failed: 1, percent: 100 });
});

it('a dead job is shown with its error, and can be requeued', async () => {
  runs.first = async () => {
    throw new Error('the password is hunter2');
  };
  const { id } = await start();
  const job = await until(id, 'dead');
  expect(job.error.code).toBe('job.step_failed');
  expect(JSON.stringify(job)).not.toContain('hunter2');
  expect((await t.owner.call('GET', url('?status=dead'))).body.items.map((one: { id: string }) => one.id)).toContain(
    id,
  );
  runs.first = async () => ({ kind: 'done' });
  expect((await t.owner.call('POST', url(`/${id}/requeue`))).status).toBe(202);
  await until(id, 'done');
  expect((await t.owner.call('POST', url(`/${id}/requeue`))).body.code).toBe('job.not_dead');
});

it('a job is repeated as a new one, as a whole or for the failed targets', async () => {
  runs.second = async () => ({ kind: 'with_errors', errors: [{ target: 'b', message: 'is away' }] });
  const gate = createGate();
  runs.first = gate.run;
  const { id } = await start();
  await gate.begun;
  expect((await t.owner.call('POST', url(`/${id}/retry`), {})).body.code).toBe('job.not_ended');
  gate.open();
  expect((await until(id, 'done_with_errors')).errors).toEqual([{ target: 'b', message: 'is away' }]);
  const seen: string[] = [];
  runs.first = async (ctx) => {
    seen.push(ctx.params.name);
    return { kind: 'no_work' };
  };
  const answer = await t.owner.call('POST', url(`/${id}/retry`), { retry_type: 'failed_only', reason: 'b is back' });
  expect([answer.status, answer.body.job.retry_of]).toEqual([202, id]);
  await until(answer.body.job.id, 'no_work');
  expect(seen).toEqual(['only b']);
  const again = await t.owner.call('POST', url(`/${answer.body.job.id}/retry`), { retry_type: 'failed_only' });
  expect(again.body.code).toBe('job.nothing_failed');
});

it('of two jobs with one key the second is refused until the first has ended', async () => {
  const gate = createGate();
  runs.first = gate.run;
  const name = createId();
  const { id } = await start({ name });
  await gate.begun;
  await expect(start({ name })).rejects.toMatchObject({ code: 'job.busy', extra: { job: id } });
  gate.open();
  await until(id, 'done');
  await until((await start({ name })).id, 'done');
});

it('revoked rights end a job before the next step', async () => {
  const editor = await t.createMember('editor');
  const second = vi.fn<Run>(async () => ({ kind: 'done' }));
  runs.second = second;
  const gate = createGate();
  runs.first = gate.run;
  const { id } = await start({ by: editor });
  await gate.begun;
  await t.database.db.updateTable('memberships').set({ role: 'viewer' }).where('user_id', '=', editor.userId).execute();
  gate.open();
  expect((await until(id, 'failed')).error.code).toBe('job.forbidden');
  expect(second).not.toHaveBeenCalled();
});

it('secrets in parameters are encrypted, and available when the job runs', async () => {
  const password = `secret-${createId()}`;
  const seen: unknown[] = [];
  runs.first = async (ctx) => {
    seen.push(ctx.params.password);
    return { kind: 'done' };
  };
  const { id } = await start({ password });
  const job = await until(id, 'done');
  expect(seen).toEqual([password]);
  const row = await t.database.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const events = await t.database.db.selectFrom('job_events').select('data').where('job_id', '=', id).execute();
  expect(JSON.stringify([job, row.params, row.params_sealed?.toString('latin1'), events])).not.toContain(password);
});

it('a caller who may not do what a job does cannot repeat it either', async () => {
  const editor = await t.createMember('editor');
  const { id } = await start({ by: editor });
  await until(id, 'done');
  await t.database.db.updateTable('memberships').set({ role: 'viewer' }).where('user_id', '=', editor.userId).execute();
  expect((await editor.call('POST', url(`/${id}/retry`), {})).body.code).toBe('role.forbidden');
  expect((await editor.call('GET', url(`/${id}`))).status).toBe(200);
});

it('the audit log contains the start and the end of a job, with its starter and its result', async () => {
  const editor = await t.createMember('editor');
  const recorded = async (id: string) => {
    const found = await t.owner.call('GET', `/api/v3/audit/logs?project=${t.project}&resource_id=${id}`);
    const items: { action: string; actor: { name: string }; outcome: string; error_code: string; changes: object }[] =
      found.body.items;
    return items
      .map(({ action, actor, outcome, error_code, changes }) => [action, actor.name, outcome, error_code, changes])
      .toReversed();
  };
  const { username } = editor;
  const whole = await start({ by: editor });
  await until(whole.id, 'done');
  expect(await recorded(whole.id)).toEqual([
    ['job.start', username, 'done', null, { type: 'test.work' }],
    ['job.end', username, 'done', null, { type: 'test.work', status: 'done' }],
  ]);
  runs.second = async () => {
    throw new PermanentFailure('test.broken', 'secret-of-the-failure');
  };
  const broken = await start({ by: editor });
  await until(broken.id, 'failed');
  expect(await recorded(broken.id)).toEqual([
    ['job.start', username, 'done', null, { type: 'test.work' }],
    ['job.end', username, 'failed', 'test.broken', { type: 'test.work', status: 'failed' }],
  ]);
  // The parent reports its children.
  runs.first = async (ctx) => {
    await spawn(ctx, 'good', 'bad');
    return { kind: 'wait_for_children' };
  };
  runs.second = async () => ({ kind: 'done' });
  const parent = await start({ by: editor });
  await until(parent.id, 'done_with_errors');
  const ended = { type: 'test.work', status: 'done_with_errors', children_failed: 1 };
  expect((await recorded(parent.id)).at(-1)).toEqual(['job.end', username, 'done', null, ended]);
  const children = await t.owner.call('GET', url(`?parent=${parent.id}`));
  expect(children.body.items).toHaveLength(2);
  for (const { id } of children.body.items) expect(await recorded(id)).toEqual([]);
});
