import { jobRoutes, projectQuerySchema } from '@flotilla/contract';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EXIT } from './exit-codes.ts';
import { openOwnersTerminal, type TestTerminal } from './testing/terminal.ts';

type JobType = Parameters<TestController['controller']['jobs']['register']>[0];

let t: TestController;
let terminal: TestTerminal;
/** Lets the test job continue; every job waits for it. */
let gate: PromiseWithResolvers<void>;

const WORK: JobType = {
  type: 'test.work',
  title: 'Work of the tests',
  params: projectQuerySchema,
  attemptsMax: 1,
  route: jobRoutes.retry,
  steps: [
    {
      name: 'only',
      effects: 'repeatable',
      run: async ({ signal }) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        signal.addEventListener('abort', () => resolve(), { once: true });
        await Promise.race([gate.promise, promise]);
        return { kind: 'done' };
      },
    },
  ],
};

/** Fails for more targets than are stored. */
const MANY: JobType = {
  ...WORK,
  type: 'test.many',
  title: 'Many targets',
  steps: [
    {
      name: 'all',
      effects: 'repeatable',
      run: async () => ({
        kind: 'with_errors',
        errors: Array.from({ length: 1003 }, (_, i) => ({ target: `host-${i}`, message: 'does not answer' })),
      }),
    },
  ],
};

beforeAll(async () => {
  t = await createTestController();
  t.controller.jobs.register(WORK);
  t.controller.jobs.register(MANY);
  terminal = await openOwnersTerminal(t);
});
afterAll(async () => {
  gate?.resolve();
  await terminal.close();
  await t.close();
});

const run: TestTerminal['run'] = (argv, options) => terminal.run(argv, options);
const readJson = async (...argv: string[]) => JSON.parse((await run([...argv, '--json'])).out);

async function start(type = WORK, runAt?: Date): Promise<string> {
  gate = Promise.withResolvers<void>();
  const actor = { kind: 'user' as const, id: t.owner.userId, name: t.owner.username };
  const order = { params: { project: t.project }, project: t.project, actor, ...(runAt && { runAt }) };
  await t.database.db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, type, order));
  const [newest] = (await readJson('jobs', 'list', '--limit', '1')).items;
  return String(newest.number);
}

it('a job is listed, shown with its steps and followed to its end', async () => {
  const number = await start();
  expect((await run(['jobs', 'list', '--type', 'test.work'])).out).toMatch(
    new RegExp(`^ *${number} +(pending|running) .*Work of the tests +- +admin `, 'm'),
  );
  const watched = run(['jobs', 'watch', number]);
  gate.resolve();
  expect(await watched).toMatchObject({
    code: EXIT.ok,
    out: expect.stringContaining(`Job ${number}  Work of the tests`),
  });
  const shown = await run(['jobs', 'get', number]);
  expect(shown.out).toMatch(/^only +done +1 +no /m);
  expect(await readJson('jobs', 'get', number)).toMatchObject({ status: 'done', steps: [{ name: 'only' }] });
});

it('a cancelled job ends with an exit code of its watch, and can be retried', async () => {
  const number = await start();
  expect(await run(['jobs', 'retry', number])).toMatchObject({ code: EXIT.conflict });
  const watched = run(['jobs', 'watch', number, '--json']);
  expect((await run(['jobs', 'cancel', number])).out).toBe(`Job ${number} is being cancelled.\n`);
  const end = await watched;
  expect(end.code).toBe(EXIT.failed);
  expect(JSON.parse(end.out).status).toBe('cancelled');
  expect(await run(['jobs', 'cancel', number])).toMatchObject({ code: EXIT.conflict });
  const again = await readJson('jobs', 'retry', number, '--reason', 'by mistake');
  expect(again.retry_of).toBe(JSON.parse(end.out).id);
  gate.resolve();
  expect((await run(['jobs', 'watch', String(again.number)])).code).toBe(EXIT.ok);
});

it('a cancel reports its outcome', async () => {
  const inAnHour = () => new Date(Date.now() + 3_600_000);
  const later = await start(WORK, inAnHour());
  expect((await run(['jobs', 'cancel', later])).out).toBe(`Job ${later} was cancelled before it started.\n`);
  expect(await readJson('jobs', 'cancel', await start(WORK, inAnHour()))).toMatchObject({
    status: 'cancelled',
    outcome: 'ended',
  });
});

it('a job that failed for more targets than are stored reports how many are left out', async () => {
  const number = await start(MANY);
  const watched = await run(['jobs', 'watch', number]);
  expect(watched.code).toBe(EXIT.differs);
  expect(watched.out).toContain(
    '\n  host-999: does not answer\n  and 3 more, which are not stored. Retry the whole job\n',
  );
  expect(watched.out).not.toContain('host-1000');
  expect(await readJson('jobs', 'get', number)).toMatchObject({ errors_left_out: 3 });
});

it('an interrupted watch does not stop the job', async () => {
  const number = await start();
  const stop = new AbortController();
  const watched = terminal.follow(['jobs', 'watch', number], stop.signal);
  stop.abort();
  expect(await watched.code).toBe(EXIT.unfinished);
  gate.resolve();
  expect((await run(['jobs', 'watch', number])).code).toBe(EXIT.ok);
});

it('schedules are listed with their errors', async () => {
  const schedule = { name: 'nightly', type: 'test.work', cron: '0 3 * * *', params: { project: t.project } };
  const created = await t.owner.call('POST', `/api/v3/jobs/schedules?project=${t.project}`, schedule);
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  const error = { code: 'schedule.failed', message: 'It could not start its job.', at: new Date().toISOString() };
  await t.database.db
    .updateTable('job_schedules')
    .set({ failures: 3, error: JSON.stringify(error) })
    .where('id', '=', created.body.id)
    .execute();
  expect((await run(['jobs', 'schedules'])).out).toMatch(
    /^nightly +test\.work +0 3 \* \* \* +UTC +\d{4}-\S+ +3 +It could not start its job\./m,
  );
  expect((await readJson('jobs', 'schedules')).items).toMatchObject([{ name: 'nightly', failures: 3 }]);
});

it('schedules are created, shown, changed and deleted by name', async () => {
  const argv = ['jobs', 'schedules', 'create', 'weekly', '--type', 'test.work', '--cron', '0 3 * * 1', '--time-zone'];
  const params = JSON.stringify({ project: t.project });
  expect((await run([...argv, 'Europe/Berlin', '--params', params])).out).toMatch(/^Schedule weekly starts next at 20/);
  expect((await run(['jobs', 'schedules', 'weekly'])).out).toContain('time_zone: Europe/Berlin\n');
  const off = await readJson('jobs', 'schedules', 'change', 'weekly', '--off', '--cron', '0 4 * * 1');
  expect(off).toMatchObject({ enabled: false, cron: '0 4 * * 1', time_zone: 'Europe/Berlin', type: 'test.work' });
  expect((await run(['jobs', 'schedules', 'change', 'weekly', '--on'])).out).toContain('starts next at 20');
  const change = ['jobs', 'schedules', 'change', 'weekly', '--params-stdin'];
  expect((await run(change, { stdin: params })).code).toBe(EXIT.ok);
  expect(await run(change, { stdin: 'secret' })).toMatchObject({
    code: EXIT.usage,
    err: 'flotilla: Standard input is not a JSON object\n',
  });
  expect((await run(['__complete', '--', 'jobs', 'schedules', 'delete', 'week'])).out).toBe('weekly\n');
  expect((await run(['__complete', '--', 'jobs', 'schedules', 'create', 'x', '--type', 'test.w'])).out).toBe(
    'test.work\n',
  );
  expect((await run(['jobs', 'schedules', 'delete', 'weekly'])).out).toBe('Schedule weekly deleted.\n');
  expect((await run(['jobs', 'schedules', 'weekly'])).code).toBe(EXIT.notFound);
});

it('the queue has statistics, and a dead job can be queued again', async () => {
  const number = await start();
  gate.resolve();
  await run(['jobs', 'watch', number]);
  expect((await run(['jobs', 'stats'])).out).toMatch(
    /^\d+ jobs, \d+ of them created in the last 24 hours\n[\s\S]* done\n/,
  );
  expect((await readJson('jobs', 'stats')).jobs_by_type['test.work']).toBeGreaterThan(0);
  expect((await readJson('jobs', 'workers')).items).toMatchObject([{ busy: expect.any(Number) }]);
  expect((await run(['jobs', 'types'])).out).toMatch(/^test\.many +Many targets +all$/m);
  expect((await readJson('jobs', 'stuck')).items).toEqual([]);
  expect((await run(['jobs', 'requeue', number])).code).toBe(EXIT.conflict);
  await t.database.db
    .updateTable('jobs')
    .set({ status: 'dead' })
    .where('number', '=', Number(number))
    .where('project_id', '=', t.project)
    .execute();
  expect((await run(['jobs', 'requeue', number])).out).toBe(`Job ${number} is being retried.\n`);
  expect((await run(['jobs', 'watch', number])).code).toBe(EXIT.ok);
});

it('jobs of another project are not found by their number', async () => {
  const number = await start();
  const other = await t.createProject('other');
  for (const verb of ['get', 'watch', 'cancel', 'retry'])
    expect(await run(['jobs', verb, number, '--project', other]), verb).toMatchObject({ code: EXIT.notFound });
  expect((await readJson('jobs', 'list', '--project', other)).items).toEqual([]);
  gate.resolve();
});

it('jobs of the installation are listed separately and have their own numbers', async () => {
  const ofProject = await start();
  gate.resolve();
  await run(['jobs', 'watch', ofProject]);
  const actor = { kind: 'user' as const, id: t.owner.userId, name: t.owner.username };
  const order = { params: { project: t.project }, project: null, actor };
  await t.database.db.transaction().execute((tx) => t.controller.jobs.enqueue(tx, WORK, order));
  const { items } = await readJson('jobs', 'list', '--installation', '--type', 'test.work');
  expect(items).toMatchObject([{ project: null, type: 'test.work' }]);
  const [{ number }] = items;
  expect((await run(['jobs', 'list', '--installation'])).out).toMatch(
    new RegExp(`^ *${number} .*Work of the tests`, 'm'),
  );
  expect((await run(['jobs', 'watch', String(number), '--installation'])).code).toBe(EXIT.ok);
  expect((await readJson('jobs', 'list')).items).not.toContainEqual(expect.objectContaining({ project: null }));
});

it.each([
  [['jobs', 'list', '--status', 'lost'], EXIT.usage],
  [['jobs', 'list', '--limit', '0'], EXIT.usage],
  [['jobs', 'retry', '1', '--failed-only', '--pending-only'], EXIT.usage],
  [['jobs', 'get', 'no-number'], EXIT.failed],
  [['jobs', 'get', '999999'], EXIT.notFound],
])('%j ends with its own exit code', async (argv, code) => {
  expect((await run(argv)).code).toBe(code);
});
