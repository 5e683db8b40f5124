import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createId } from '@flotilla/kit';
import { isFullTier } from '@flotilla/kit/testing';
import { createTestDatabase, type TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { ControllerProcess, OWNER_PASSWORD } from '../../../../platform/presence/testing/process.ts';
import { BASE } from '../testing/restore.ts';

const WAIT = { timeout: 60_000, interval: 100 };
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
/** Two that have the backups in one folder. */
let folder: string;
const running = new Set<ControllerProcess>();

beforeAll(async () => {
  database = await createTestDatabase();
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

/** Asks one of them, as the owner. */
async function createCaller(at: ControllerProcess) {
  const { body } = await at.call('POST', '/auth/login', { body: { username: 'admin', password: OWNER_PASSWORD } });
  const token = String(body.access_token);
  const ask = async (by: ControllerProcess, method: string, path: string, sent?: unknown) => {
    const answer = await by.call(method, path, { token, ...(sent !== undefined && { body: sent }) });
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };
  return ask;
}

const textOf = (name: string, host: string) => `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: ${name} }
spec: { domains: [{ hosts: [${host}], policy: { engines: { rate_limit: { key: ip, requests_per_second: 1 } } } }] }
`;

/** Whoever writes the table waits until it is let go of. */
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

/** Until a worker waits to write the table, with something in its transaction that nobody else sees yet. */
async function untilWaits(table: string): Promise<void> {
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
  ...(isFullTier ? [['itself, started again,', true] as const] : []),
];

it.each(SUCCESSORS)(
  'killed in the middle of a restore, nothing of it is there, and %s ends it whole, once',
  async (_, restarts) => {
    const one = await start();
    const two = restarts ? undefined : await start();
    const ask = await createCaller(one);
    const project = (
      await ask(one, 'POST', '/api/v3/setting/projects', { name: `of-${createId().slice(-8)}`, starters: [] })
    ).id;
    const query = `?project=${project}`;
    for (const name of POLICIES)
      await ask(one, 'POST', `/api/v3/shield/policies${query}`, { name, text: textOf(name, 'a.example.com') });
    await ask(one, 'PUT', `${CLOUD}${query}`, cloudIn('north'));
    const { backup } = await ask(one, 'POST', `${BASE}/backup/export${query}`, {});
    await vi.waitFor(
      async () => expect((await ask(one, 'GET', `${BASE}/backups/${backup.id}${query}`)).status).toBe('ready'),
      WAIT,
    );
    for (const name of POLICIES)
      await ask(one, 'PUT', `/api/v3/shield/policies/${name}${query}`, { text: textOf(name, 'b.example.com') });
    await ask(one, 'PUT', `${CLOUD}${query}`, cloudIn('south'));
    const read = async (by: ControllerProcess) => {
      const policies: { text: string; revision: number }[] = [];
      for (const name of POLICIES) policies.push(await ask(by, 'GET', `/api/v3/shield/policies/${name}${query}`));
      const { value: cloud } = await ask(by, 'GET', `${CLOUD}${query}`);
      return {
        hosts: policies.map(({ text }) => /\w\.example\.com/.exec(text)?.[0]),
        revisions: policies.map(({ revision }) => revision),
        region: cloud.region_name,
      };
    };
    const before = await read(one);
    expect(before).toEqual({ hosts: ['b.example.com', 'b.example.com'], revisions: [2, 2], region: 'south' });

    // Restore points cannot be noted: the job stays before its writes until the next gate is shut.
    const open = await holdWrites('backups');
    const order = { backup: backup.id, on_conflict: 'replace' };
    const { restore, job } = await ask(one, 'POST', `${BASE}/backup/import${query}`, order);
    const release = await holdWrites('settings');
    open();
    await untilWaits('settings');

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
    // Its transaction is still open at the database, and waits: nobody sees anything of it.
    expect(await read(left)).toEqual(before);
    release();
    const ended = await vi.waitFor(async () => {
      const body = await ask(left, 'GET', `/api/v3/jobs/${job.id}${query}`);
      expect(body.ended_at, JSON.stringify(body)).not.toBeNull();
      return body;
    }, WAIT);
    expect([ended.status, ended.error]).toEqual(['done', null]);
    expect(ended.steps).toMatchObject([{ name: 'restore_point' }, { name: 'apply', status: 'done', repeated: true }]);

    // Of policies that were written twice the revision would tell.
    expect(await read(left)).toEqual({
      hosts: ['a.example.com', 'a.example.com'],
      revisions: [3, 3],
      region: 'north',
    });
    const { summary, restore_point: point } = await ask(left, 'GET', `${BASE}/backup/restores/${restore}${query}`);
    expect(summary.results.map(({ kind, outcome }: { kind: string; outcome: string }) => [kind, outcome])).toEqual([
      ['policies', 'changed'],
      ['policies', 'changed'],
      ['settings', 'changed'],
    ]);
    const { items: backups } = await ask(left, 'GET', `${BASE}/backups${query}`);
    const points = backups.filter(({ origin }: { origin: string }) => origin === 'restore_point');
    expect(points.map(({ id }: { id: string }) => id)).toEqual([point]);
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from audit_log
    where project_id = ${project} and action = 'backup.restore'`.execute(database.owner);
    expect(rows[0]?.count).toBe(1);
    for (const each of running) await each.close();
    running.clear();
    // Two controllers start, and a lease runs out: on a busy machine that takes its time.
  },
  180_000,
);
