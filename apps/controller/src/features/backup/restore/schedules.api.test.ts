import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { BASE } from '../test-restore.ts';
import { stageProjects } from '../test-stage.ts';

const SCHEDULES = '/api/v3/jobs/schedules';
const PASSPHRASE = 'a phrase of the night 4711';
const NIGHTLY = {
  name: 'nightly',
  type: 'backup.scheduled',
  cron: '0 3 * * *',
  time_zone: 'Europe/Berlin',
  params: { keep: 7, passphrase: PASSPHRASE },
};

const here = stageProjects();

const listSchedules = async (of = here.query) => (await here.ask('GET', SCHEDULES, undefined, { of })).items;
const countsOf = (planned: { not_taken: { kind: string; count: number }[] }) =>
  planned.not_taken.filter(({ kind }) => kind === 'schedules').map(({ count }) => count);
const readRow = (of: string, name: string) =>
  here.t.database.owner
    .selectFrom('job_schedules')
    .selectAll()
    .where('project_id', '=', of)
    .where('name', '=', name)
    .executeTakeFirstOrThrow();

const forge = (rows: readonly object[]) => here.forge({ job_schedules: rows });
const row = (more: object) => ({
  id: createId(),
  project_id: null,
  name: 'nightly',
  type: 'backup.scheduled',
  cron: '0 3 * * *',
  time_zone: 'UTC',
  enabled: true,
  actor: { kind: 'system', id: null, name: 'system' },
  params: {},
  params_sealed: null,
  next_run_at: '2020-01-01T00:00:00Z',
  ...more,
});

it('comes back switched off, with its secret, in the name of whoever restores it', async () => {
  await here.ask('POST', SCHEDULES, NIGHTLY, { by: here.admin });
  const { id } = await here.makeBackup({});
  const { there, far } = await here.createFar();
  const backup = await here.carry(id, far);
  const planned = await here.plan({ backup }, { of: far });
  expect(planned.creates).toEqual([{ kind: 'schedules', count: 1, names: ['nightly (switched off)'] }]);
  const done = await here.restore({ backup, digest: planned.digest }, { of: far });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  const { name, cron, time_zone, params } = NIGHTLY;
  const [restored, ...others] = await listSchedules(far);
  expect(others).toEqual([]);
  expect(restored).toMatchObject({ project: there, name, cron, time_zone, enabled: false, next_run_at: null });
  expect(restored.by).toMatchObject({ kind: 'user', id: here.owner.userId });
  expect(done.body.restored).toMatchObject([{ kind: 'schedules', name, to: restored.id }]);
  expect(JSON.stringify([planned, done, restored])).not.toContain(PASSPHRASE);
  // Sealed for the one that is here: its job could be started.
  const { types } = here.t.controller.jobs;
  const type = types.get(NIGHTLY.type);
  if (!type) throw new Error('there is such a type');
  expect(types.open(type, restored.id, await readRow(there, name))).toMatchObject(params);
  // That of the other project goes on.
  expect((await listSchedules())[0]).toMatchObject({ project: here.project, enabled: true });
});

it('that is the same here goes on; one that differs is replaced where that was asked for, and switched off', async () => {
  await here.ask('POST', SCHEDULES, NIGHTLY);
  const { id: backup } = await here.makeBackup({});
  const same = await here.plan({ backup, on_conflict: 'replace' });
  expect([same.creates, same.conflicts, same.unchanged]).toEqual([[], [], 1]);
  const [schedule] = await listSchedules();
  await here.ask('PUT', `${SCHEDULES}/${schedule.id}`, { ...NIGHTLY, cron: '0 5 * * *' });
  const planned = await here.plan({ backup, on_conflict: 'replace' });
  expect(planned.conflicts).toEqual([{ kind: 'schedules', name: 'nightly (switched off)', choice: 'replace' }]);
  const order = { backup, on_conflict: 'replace', digest: planned.digest };
  expect((await here.restore(order)).job.status).toBe('done');
  expect(await listSchedules()).toMatchObject([{ id: schedule.id, cron: NIGHTLY.cron, enabled: false }]);
});

it('here that cannot be read any more hinders no plan, and is made good where replacing was asked for', async () => {
  await here.ask('POST', SCHEDULES, NIGHTLY);
  const { id: backup } = await here.makeBackup({});
  const [schedule] = await listSchedules();
  const { owner: db } = here.t.database;
  const { params_sealed: sealed } = await readRow(here.project, 'nightly');
  for (const broken of [
    // Cut short, so that it does not open; and parameters of another time.
    { params_sealed: sealed?.subarray(0, -1) ?? null },
    { params_sealed: sealed, params: '{"keep": "all"}' },
  ]) {
    await db.updateTable('job_schedules').set(broken).where('id', '=', schedule.id).execute();
    const { conflicts } = await here.plan({ backup, on_conflict: 'skip' });
    expect(conflicts).toEqual([{ kind: 'schedules', name: 'nightly (switched off)', choice: 'skip' }]);
  }
  const order = { backup, on_conflict: 'replace' };
  const { digest } = await here.plan(order);
  const { job } = await here.restore({ ...order, digest });
  expect(job.status, JSON.stringify(job)).toBe('done');
  const { types } = here.t.controller.jobs;
  const type = types.get(NIGHTLY.type);
  if (!type) throw new Error('there is such a type');
  expect(types.open(type, schedule.id, await readRow(here.project, 'nightly'))).toMatchObject(NIGHTLY.params);
});

it('is not taken beyond what a project may have; those that are here already take no more room', async () => {
  await here.ask('POST', SCHEDULES, { ...NIGHTLY, params: {} });
  await sql`insert into job_schedules (id, project_id, name, type, params, cron, time_zone, enabled, actor, created_at)
    select gen_random_uuid(), project_id, 'more-' || n, type, '{}', cron, time_zone, false, actor, now()
    from job_schedules, generate_series(1, 97) n where project_id = ${here.project}`.execute(here.t.database.owner);
  const rows = ['a', 'b', 'c', 'nightly', 'd'].map((name) => row({ name }));
  const order = { backup: await forge(rows), on_conflict: 'replace' };
  const planned = await here.plan(order);
  expect(planned.creates).toMatchObject([{ kind: 'schedules', names: ['a (switched off)', 'b (switched off)'] }]);
  expect(planned.conflicts).toMatchObject([{ kind: 'schedules', name: 'nightly (switched off)' }]);
  expect(planned.not_taken).toContainEqual({
    kind: 'schedules',
    count: 2,
    reason: 'a project has 100 schedules at most',
  });
  const { job } = await here.restore({ ...order, digest: planned.digest });
  expect(job.status, JSON.stringify(job)).toBe('done');
  expect(await listSchedules()).toHaveLength(100);
});

it('is not taken where its parameters name what is not restored with it, as what another tenant has', async () => {
  const { far } = await here.createFar();
  const params = { backup: (await here.makeBackup({}, { of: far })).id };
  const planned = await here.plan({ backup: await forge([row({ type: 'backup.export', params })]) });
  expect([planned.creates, countsOf(planned)]).toEqual([[], [1]]);
});

it('is not taken of a type that only the program starts, that there is not, or with parameters that it has not', async () => {
  const rows = [
    row({ name: 'a', type: 'system.tidy' }),
    row({ name: 'b', type: '__proto__' }),
    row({ name: 'c', params: { x: 1 } }),
  ];
  const planned = await here.plan({ backup: await forge(rows) });
  expect([planned.creates, countsOf(planned)]).toEqual([[], [3]]);
});

it('is taken of nobody who may not have its jobs started: an admin brings no work of the installation', async () => {
  const backup = await forge([row({ name: 'reseal', type: 'keys.reseal', params: { to: 2 } })]);
  const refused = await here.plan({ backup }, { by: here.admin });
  expect([refused.creates, countsOf(refused)]).toEqual([[], [1]]);
  const taken = await here.plan({ backup });
  expect(taken.creates).toMatchObject([{ kind: 'schedules', names: ['reseal (switched off)'] }]);
});

it('never has the rights that the backup says: it has those of whoever restores', async () => {
  const backup = await forge([row({ project_id: await here.t.createProject(`v-${createId().slice(-8)}`) })]);
  const planned = await here.plan({ backup });
  const done = await here.restore({ backup, digest: planned.digest });
  expect(done.job.status, JSON.stringify(done.job)).toBe('done');
  expect(await readRow(here.project, 'nightly')).toMatchObject({
    project_id: here.project,
    enabled: false,
    next_run_at: null,
    actor: { kind: 'user', id: here.owner.userId },
  });
});

it('that nobody can have written is refused', async () => {
  for (const more of [
    { cron: 'when it suits' },
    { time_zone: 'Nowhere/At-All' },
    { params_sealed: 'eA==' },
    { name: '../x' },
  ]) {
    const answer = await here.owner.call('POST', `${BASE}/backup/plan${here.query}`, {
      backup: await forge([row(more)]),
      on_conflict: 'skip',
    });
    expect([answer.status, answer.body.code], JSON.stringify(more)).toEqual([400, 'backup.tampered']);
  }
});
