import { createId } from '@flotilla/kit';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { TEST_VERSION } from '../../../testing/fleet.ts';
import { lockDocuments } from '../../configuration/documents/index.ts';
import { BUNDLE_SECTIONS } from './bundle/manifests.ts';
import { BASE, digestTables } from './testing/restore.ts';
import { stageProjects } from './testing/stage.ts';

const here = stageProjects({ documents: true });

/** Creates the context of a job that is cancelled when it first reports progress. */
function createCancelled(params: object, results: object = {}) {
  const cancel = new AbortController();
  const progress: (readonly [done: number, total: number])[] = [];
  const context = {
    id: createId(),
    params,
    project: here.project,
    actor: { kind: 'user' as const, id: here.admin.userId, name: here.admin.username },
    attempt: 1,
    fence: 1,
    results: { ...results },
    signal: cancel.signal,
    write: <T>(work: (tx: Parameters<Parameters<ReturnType<typeof begin>['execute']>[0]>[0]) => Promise<T>) =>
      begin().execute(work),
    progress: (done: number, total: number) => {
      progress.push([done, total]);
      cancel.abort();
      return Promise.resolve();
    },
    note: () => Promise.resolve(),
    spawn: () => Promise.reject(new Error('this job has no children')),
    children: () => Promise.resolve([]),
  };
  return { context, progress };
}
const begin = () => here.t.database.db.transaction();
const stepOf = (type: string, name: string) =>
  here.t.controller.jobs.types.get(type)?.steps.find((one) => one.name === name);
const ABORTED = { name: 'AbortError' };

it('a cancelled backup stops before its next section and has the status failed', async () => {
  const { id } = await here.makeBackup({}, { by: here.admin });
  const { context, progress } = createCancelled({ backup: id });
  await expect(stepOf('backup.export', 'write')?.run(context)).rejects.toMatchObject(ABORTED);
  expect(progress).toEqual([[1, BUNDLE_SECTIONS.length]]);
  expect((await here.admin.call('GET', `${BASE}/backups/${id}${here.query}`)).body.status).toBe('failed');
});

it('a cancelled restore creates no restore point and rolls its writes back', async () => {
  const { id: backup } = await here.makeBackup({}, { by: here.admin });
  const documents = `/api/v3/xds/listeners/web${here.query}&version=${TEST_VERSION}`;
  const resource = { address: { socket_address: { address: '127.0.0.1', port_value: 18_500 } } };
  expect((await here.owner.call('PUT', documents, { resource })).status).toBe(200);
  const order = { backup, on_conflict: 'replace' };
  const restore = createId();
  await sql`insert into restores (id, project_id, backup_id, created_at, created_by)
    values (${restore}, ${here.project}, ${backup}, now() - interval '1 hour', 'test')`.execute(here.t.database.owner);
  const before = await digestTables(here.t.database.owner);
  const listed = async () => (await here.admin.call('GET', `${BASE}/backups${here.query}`)).body.items.length;
  const { context } = createCancelled({ restore, ...order }, { restore_point: backup });
  await expect(stepOf('backup.restore', 'apply')?.run(context)).rejects.toMatchObject(ABORTED);
  // The job is already cancelled when this step begins.
  await expect(stepOf('backup.restore', 'restore_point')?.run(context)).rejects.toMatchObject(ABORTED);
  expect(await listed()).toBe(1);
  expect(await digestTables(here.t.database.owner)).toEqual(before);
  const again = createCancelled({ restore, ...order }, { restore_point: backup });
  const whole = { ...again.context, progress: () => Promise.resolve() };
  expect(await stepOf('backup.restore', 'apply')?.run(whole)).toEqual({ kind: 'done' });
  expect(await digestTables(here.t.database.owner)).not.toEqual(before);
});

it('a restore test that is cancelled while it waits sends no more queries and rolls its writes back', async () => {
  const { id } = await here.makeBackup({}, { by: here.admin });
  const address = `/api/v3/xds/listeners/web${here.query}&version=${TEST_VERSION}`;
  const resource = { address: { socket_address: { address: '127.0.0.1', port_value: 18_500 } } };
  expect((await here.owner.call('PUT', address, { resource })).status).toBe(200);
  const before = await digestTables(here.t.database.owner);
  const cancel = new AbortController();
  const { context } = createCancelled({}, { write: id });
  let running: Promise<unknown> | undefined;
  await begin().execute(async (tx) => {
    await lockDocuments(tx, { project: here.project, version: TEST_VERSION });
    running = stepOf('backup.scheduled', 'try_out')?.run({ ...context, signal: cancel.signal });
    running?.catch(() => undefined);
    await vi.waitFor(
      async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`.execute(
          here.t.database.owner,
        );
        expect(rows).toHaveLength(1);
      },
      { interval: 20 },
    );
    cancel.abort();
  });
  await expect(running).rejects.toMatchObject(ABORTED);
  expect(await digestTables(here.t.database.owner)).toEqual(before);
  const row = await here.t.database.owner
    .selectFrom('backups')
    .select('restore_test')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row.restore_test).toBeNull();
});
