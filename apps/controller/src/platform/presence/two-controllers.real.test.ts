import { createId } from '@flotilla/kit';
import type { TestDatabase } from '@flotilla/testkit';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createControllerDatabase } from '../../testing/database.ts';
import { ControllerProcess, OWNER_PASSWORD } from './testing/process.ts';

const WAIT = { interval: 100 };
const REGISTRY = '/api/v3/registry';

let database: TestDatabase;
let one: ControllerProcess;
let two: ControllerProcess;
const processes: ControllerProcess[] = [];

async function startOne(): Promise<ControllerProcess> {
  const controller = await ControllerProcess.start(database);
  processes.push(controller);
  return controller;
}

beforeAll(async () => {
  database = await createControllerDatabase();
  one = await startOne();
  two = await startOne();
});
afterAll(async () => {
  for (const each of processes) await each.close();
  await database?.close();
});

async function signIn(at: ControllerProcess, username = 'admin', password = OWNER_PASSWORD): Promise<string> {
  const { status, body } = await at.call('POST', '/auth/login', { body: { username, password } });
  expect(status, JSON.stringify(body)).toBe(200);
  return body.access_token;
}

const whoIs = async (at: ControllerProcess, token: string) =>
  (await at.call('GET', '/api/v3/profile', { token })).status;

async function readRegistry(at: ControllerProcess, token: string) {
  const { status, body } = await at.call('GET', `${REGISTRY}/instances`, { token });
  expect(status, JSON.stringify(body)).toBe(200);
  return body as {
    instances: { id: string; live: boolean; is_leader: boolean; roles: string[]; rest_addr: string }[];
    leader: { holder_id: string; lease_valid: boolean; fence: number } | null;
  };
}

/** Simulates a network failure: no controller receives notifications for a moment. */
async function cutNotifications(): Promise<number> {
  const { rows } = await sql<{ cut: boolean }>`select pg_terminate_backend(pid) as cut from pg_stat_activity
    where datname = current_database() and query ilike 'listen %'`.execute(database.owner);
  return rows.length;
}

/** Waits until the other controller refuses the token; the benchmark measures that this takes less than a second. */
const untilRefused = (at: ControllerProcess, token: string) =>
  vi.waitFor(async () => expect(await whoIs(at, token)).toBe(401), WAIT);

describe('two controllers on one database', () => {
  it('share sessions: signed in on one, known to the other, ended for both', async () => {
    const token = await signIn(one);
    expect([await whoIs(one, token), await whoIs(two, token)]).toEqual([200, 200]);
    expect((await one.call('POST', '/logout', { token })).status).toBeLessThan(300);
    expect(await whoIs(one, token)).toBe(401);
    await untilRefused(two, token);
    const other = await signIn(two);
    expect(await whoIs(one, other)).toBe(200);
    // Even without a notification, cached answers expire soon.
    expect(await cutNotifications()).toBeGreaterThan(4);
    expect((await two.call('POST', '/logout', { token: other })).status).toBeLessThan(300);
    await untilRefused(one, other);
  });

  it('count wrong passwords together', async () => {
    const token = await signIn(one);
    const username = 'guessed';
    const made = await one.call('POST', '/api/v3/setting/users', {
      token,
      body: { username, password: `${OWNER_PASSWORD}-2` },
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    const guess = (at: ControllerProcess, password: string) =>
      at.call('POST', '/auth/login', { body: { username, password } });
    const statuses: number[] = [];
    for (let i = 0; i < 12 && statuses.at(-1) !== 429; i += 1)
      statuses.push((await guess(i % 2 === 0 ? one : two, `wrong ${i}`)).status);
    expect(statuses.at(-1)).toBe(429);
    for (const at of [one, two])
      expect(await guess(at, `${OWNER_PASSWORD}-2`)).toMatchObject({ status: 429, body: { code: 'auth.throttled' } });
  });

  it('share settings: a change on one is read on the other', async () => {
    const token = await signIn(one);
    const path = '/api/v3/setting/documents/general';
    for (const [at, other, name] of [
      [one, two, 'Edge of the north'],
      [two, one, 'Edge of the south'],
    ] as const) {
      const written = await at.call('PATCH', path, { token, body: { name } });
      expect(written.status, JSON.stringify(written.body)).toBe(200);
      expect((await other.call('GET', path, { token })).body).toMatchObject({
        revision: written.body.revision,
        value: { name },
      });
    }
  });

  it('know each other, the leader, and that the other is alive', async () => {
    const token = await signIn(one);
    const { instances, leader } = await readRegistry(two, token);
    expect(instances.map(({ id, live }) => [id, live])).toEqual([
      [one.id, true],
      [two.id, true],
    ]);
    for (const { roles, rest_addr: address } of instances) {
      expect(roles.toSorted()).toEqual(['agents', 'api', 'jobs']);
      expect([one.url, two.url]).toContain(address);
    }
    expect(leader).toMatchObject({ holder_id: one.id, lease_valid: true });
    expect((await readRegistry(one, token)).leader?.fence).toBe(leader?.fence);
    const remove = await one.call('DELETE', `${REGISTRY}/controller/${two.id}`, { token });
    expect(remove).toMatchObject({ status: 409, body: { code: 'controller.alive' } });
  });
});

describe('if one of two controllers is lost', () => {
  it('by a kill in the middle of a job, the other one completes the job, leads, and removes its entry', async () => {
    const id = createId();
    const stuck = await lockOut('idempotency_keys');
    await insertTidying(id);
    const holder = await vi.waitFor(async () => {
      const { leased_by, step } = await readJob(id);
      expect([leased_by, step]).toEqual([expect.any(String), 0]);
      return leased_by;
    }, WAIT);
    const [lost, left] = holder === one.id ? [one, two] : [two, one];
    // Created on the controller that will be killed.
    const token = await signIn(lost);
    lost.signal('SIGKILL');
    await lost.exit;
    stuck.release();
    const job = await vi.waitFor(async () => {
      const { status, body } = await left.call('GET', `/api/v3/jobs/${id}`, { token });
      expect([status, body.status]).toEqual([200, 'done']);
      return body;
    }, WAIT);
    expect(job.steps).toMatchObject([{ name: 'tidy', status: 'done', repeated: true }]);
    const events = await readEvents(id);
    expect(events.filter(({ kind }) => kind === 'claimed').map(({ data }) => data)).toMatchObject([
      { controller: lost.id },
      { controller: left.id },
    ]);
    expect(events).toContainEqual({
      kind: 'retry',
      data: expect.objectContaining({ code: 'job.worker_lost', controller: lost.id }),
    });
    await untilLeads(left, token);
    await remove(lost, left, token);
    expect((await readRegistry(left, token)).instances.map((each) => each.id)).toEqual([left.id]);
    one = left;
  });

  it('by a pause while it led, the other one leads, and the first finds itself removed when it wakes and ends', async () => {
    two = await startOne();
    const token = await signIn(two);
    const before = await untilLeads(one, token);
    one.signal('SIGSTOP');
    const after = await untilLeads(two, token);
    expect(after.fence).toBeGreaterThan(before.fence);
    await remove(one, two, token);
    one.signal('SIGCONT');
    expect(await one.exit).toEqual([1, null]);
    const { instances, leader } = await readRegistry(two, token);
    expect(instances.map((each) => each.id)).toEqual([two.id]);
    // It has not taken the lead again during its shutdown.
    expect(leader).toMatchObject({ holder_id: two.id, fence: after.fence });
  });
});

const untilLeads = (at: ControllerProcess, token: string) =>
  vi.waitFor(async () => {
    const { leader } = await readRegistry(at, token);
    expect(leader).toMatchObject({ holder_id: at.id, lease_valid: true });
    return { fence: leader?.fence ?? 0 };
  }, WAIT);

/** Removes a controller once it has been silent long enough. */
async function remove(gone: ControllerProcess, by: ControllerProcess, token: string): Promise<void> {
  await vi.waitFor(async () => {
    const { status } = await by.call('DELETE', `${REGISTRY}/controller/${gone.id}`, { token });
    expect(status).toBe(204);
  }, WAIT);
}

/** Locks the table until it is released. */
async function lockOut(table: string): Promise<{ release(): void }> {
  const gate = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const holding = database.owner.transaction().execute(async (tx) => {
    await sql`lock table ${sql.table(table)} in access exclusive mode`.execute(tx);
    locked.resolve();
    await gate.promise;
  });
  holding.catch(locked.reject);
  // Releases the lock even if the test fails first.
  onTestFinished(() => gate.resolve());
  await locked.promise;
  return { release: gate.resolve };
}

/** Queues housekeeping as its schedule does. */
async function insertTidying(id: string): Promise<void> {
  const now = new Date();
  const job = { id, type: 'system.tidy', params: '{}', attempts_max: 5, steps_total: 1, run_at: now, created_at: now };
  await database.db
    .insertInto('jobs')
    .values({ ...job, actor: JSON.stringify({ kind: 'system', id: null, name: 'system' }) })
    .execute();
}

const readJob = (id: string) =>
  database.db.selectFrom('jobs').select(['leased_by', 'step']).where('id', '=', id).executeTakeFirstOrThrow();

const readEvents = (id: string) =>
  database.db.selectFrom('job_events').select(['kind', 'data']).where('job_id', '=', id).orderBy('seq').execute();
