import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@flotilla/kit';
import { isFullTier } from '@flotilla/kit/testing';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { ControllerProcess, OWNER_PASSWORD } from '../../../../platform/presence/testing/process.ts';
import { createControllerDatabase } from '../../../../testing/database.ts';
import { BASE } from '../testing/restore.ts';

const WAIT = { interval: 100 };
const POLICIES = ['first', 'second'];
const CLOUD = '/api/v3/setting/documents/cloud/main';
const cloudIn = (region_name: string) => ({
  auth: {
    auth_url: 'https://keystone.example:5000/v3',
    application_credential_id: 'id',
    application_credential_secret: 'a secret of a cloud 4711',
  },
  region_name,
});

let database: TestDatabase;
/** Shared by both controllers. */
let folder: string;
const running = new Set<ControllerProcess>();

beforeAll(async () => {
  database = await createControllerDatabase();
  folder = await mkdtemp(join(tmpdir(), 'flotilla-killed-'));
});
afterAll(async () => {
  for (const each of running) await each.close();
  await database?.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(): Promise<ControllerProcess> {
  const controller = await ControllerProcess.start(database, folder);
  running.add(controller);
  return controller;
}

/** Signs in as the owner and returns a function that sends requests to either controller. */
async function createCaller(at: ControllerProcess) {
  const { body } = await at.call('POST', '/auth/login', { body: { username: 'admin', password: OWNER_PASSWORD } });
  const token = String(body.access_token);
  const send = async (by: ControllerProcess, method: string, path: string, sent?: unknown) => {
    const answer = await by.call(method, path, { token, ...(sent !== undefined && { body: sent }) });
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };
  return send;
}

const textOf = (name: string, host: string) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: ${name} }
spec: { domains: [{ hosts: [${host}], policy: { engines: { rate_limit: { key: ip, requests_per_second: 1 } } } }] }
`;

/** Blocks all writes of the table until the returned function is called. */
async function holdWrites(table: string): Promise<() => void> {
  const gate = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = database.owner.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(table)} in share mode`.execute(tx);
    locked.resolve();
    await gate.promise;
  });
  holding.catch(locked.reject);
  onTestFinished(() => gate.resolve());
  await locked.promise;
  return () => gate.resolve();
}

/** Waits until a worker with uncommitted writes waits to write the table. */
async function waitForBlockedWrite(table: string): Promise<void> {
  await vi.waitFor(async () => {
    const { rows } = await sql`
      select from pg_locks waiting join pg_stat_activity a using (pid)
      where not waiting.granted and waiting.relation = ${table}::regclass and a.backend_xid is not null`.execute(
      database.owner,
    );
    expect(rows).toHaveLength(1);
  }, WAIT);
}

const SUCCESSORS: readonly (readonly [name: string, restarts: boolean])[] = [
  ['the other controller', false],
  ...(isFullTier ? [['the same controller, after its restart,', true] as const] : []),
];

it.each(SUCCESSORS)(
  'a restore whose controller is killed has no effect until %s completes it once',
  async (_, restarts) => {
    const one = await start();
    const two = restarts ? undefined : await start();
    const send = await createCaller(one);
    const project = (
      await send(one, 'POST', '/api/v3/setting/projects', { name: `of-${createId().slice(-8)}`, starters: [] })
    ).id;
    const query = `?project=${project}`;
    for (const name of POLICIES)
      await send(one, 'POST', `/api/v3/shield/policies${query}`, { name, text: textOf(name, 'a.example.com') });
    await send(one, 'PUT', `${CLOUD}${query}`, cloudIn('north'));
    const { backup } = await send(one, 'POST', `${BASE}/backup/export${query}`, {});
    await vi.waitFor(
      async () => expect((await send(one, 'GET', `${BASE}/backups/${backup.id}${query}`)).status).toBe('ready'),
      WAIT,
    );
    for (const name of POLICIES)
      await send(one, 'PUT', `/api/v3/shield/policies/${name}${query}`, { text: textOf(name, 'b.example.com') });
    await send(one, 'PUT', `${CLOUD}${query}`, cloudIn('south'));
    const read = async (by: ControllerProcess) => {
      const policies: { text: string; revision: number }[] = [];
      for (const name of POLICIES) policies.push(await send(by, 'GET', `/api/v3/shield/policies/${name}${query}`));
      const { value: cloud } = await send(by, 'GET', `${CLOUD}${query}`);
      return {
        hosts: policies.map(({ text }) => /\w\.example\.com/.exec(text)?.[0]),
        revisions: policies.map(({ revision }) => revision),
        region: cloud.region_name,
      };
    };
    const before = await read(one);
    expect(before).toEqual({ hosts: ['b.example.com', 'b.example.com'], revisions: [2, 2], region: 'south' });

    // Restore points cannot be recorded: the job waits before its writes until `settings` is blocked, too.
    const open = await holdWrites('backups');
    const order = { backup: backup.id, on_conflict: 'replace' };
    const { restore, job } = await send(one, 'POST', `${BASE}/backup/import${query}`, order);
    const release = await holdWrites('settings');
    open();
    await waitForBlockedWrite('settings');

    const { leased_by: holder } = await database.db
      .selectFrom('jobs')
      .select('leased_by')
      .where('id', '=', job.id)
      .executeTakeFirstOrThrow();
    const lost = two?.id === holder ? two : one;
    expect(lost.id).toBe(holder);
    lost.signal('SIGKILL');
    expect(await lost.exit).toEqual([null, 'SIGKILL']);
    running.delete(lost);
    const left = restarts ? await start() : lost === one ? (two ?? one) : one;
    // Its transaction is still open in the database and waits, so that nobody sees its writes.
    expect(await read(left)).toEqual(before);
    release();
    const ended = await vi.waitFor(async () => {
      const body = await send(left, 'GET', `/api/v3/jobs/${job.id}${query}`);
      expect(body.ended_at, JSON.stringify(body)).not.toBeNull();
      return body;
    }, WAIT);
    expect([ended.status, ended.error]).toEqual(['done', null]);
    expect(ended.steps).toMatchObject([{ name: 'restore_point' }, { name: 'apply', status: 'done', repeated: true }]);

    // The revisions would be higher if the policies had been written twice.
    expect(await read(left)).toEqual({
      hosts: ['a.example.com', 'a.example.com'],
      revisions: [3, 3],
      region: 'north',
    });
    const { summary, restore_point: point } = await send(left, 'GET', `${BASE}/backup/restores/${restore}${query}`);
    expect(summary.results.map(({ kind, outcome }: { kind: string; outcome: string }) => [kind, outcome])).toEqual([
      ['policies', 'changed'],
      ['policies', 'changed'],
      ['settings', 'changed'],
    ]);
    const { items: backups } = await send(left, 'GET', `${BASE}/backups${query}`);
    const points = backups.filter(({ origin }: { origin: string }) => origin === 'restore_point');
    expect(points.map(({ id }: { id: string }) => id)).toEqual([point]);
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from audit_log
    where project_id = ${project} and action = 'backup.restore'`.execute(database.owner);
    expect(rows[0]?.count).toBe(1);
    for (const each of running) await each.close();
    running.clear();
    // Two controllers start and a lease expires, which takes long on a busy machine.
  },
  180_000,
);
