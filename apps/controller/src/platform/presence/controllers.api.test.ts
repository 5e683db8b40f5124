import { createId, createSilentLogger } from '@flotilla/kit';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { isConnected } from '../../modules/fleet/clients/index.ts';
import { createTestController, type TestController } from '../../testing/controller.ts';
import { hostFacts } from '../../testing/fleet.ts';
import { Leadership } from './leadership.ts';
import { dropLease, renewLease, takeLease, whileLeased } from './lease-store.ts';
import { ControllerPresence } from './presence.ts';
import { isControllerLive } from './presence-store.ts';

const REGISTRY = '/api/v3/registry';
const WAIT = { interval: 50 };
const logger = createSilentLogger();
let t: TestController;

beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t.close());

/** Inserts the row of a controller that was killed. */
async function leaveRow(silentMs: number): Promise<string> {
  const id = createId();
  const seen = new Date(Date.now() - silentMs);
  await t.database.db
    .insertInto('controllers')
    .values({ id, started_at: seen, seen_at: seen, hostname: 'lost-host', version: '0.0.9', roles: ['api'] })
    .execute();
  return id;
}

async function connectClient(name: string, project: string, controllerId: string): Promise<string> {
  const id = createId();
  const now = new Date();
  await t.database.db
    .transaction()
    .execute((tx) =>
      t.controller.fleet.clients.register(tx, { id, projectId: project, facts: hostFacts({ name }), now }),
    );
  await t.database.db
    .updateTable('clients')
    .set({ connected_to: controllerId, connect_time: now })
    .where('id', '=', id)
    .execute();
  return id;
}

it('a controller reports its identity, its roles and its load', async () => {
  await t.controller.presence.takes('api', 'http://controller-1.example.com:8099');
  const { status, body } = await t.owner.call('GET', `${REGISTRY}/instances`);
  expect(status).toBe(200);
  const { controllerId } = t.controller.presence;
  const own = body.instances.find(({ id }: { id: string }) => id === controllerId);
  expect(own).toMatchObject({
    rest_addr: 'http://controller-1.example.com:8099',
    grpc_addr: null,
    is_leader: true,
    live: true,
    epoch: expect.any(Number),
    load: { agents: 0, streams: 0, jobs: 0, cpu: expect.any(Number), rss_bytes: expect.any(Number) },
  });
  expect(own.roles.toSorted()).toEqual(['api', 'jobs']);
  expect(own.load.rss_bytes).toBeGreaterThan(1e6);
  expect(body).toMatchObject({ has_leader: true, instance_count: body.instances.length });
  expect(body.leader).toMatchObject({
    holder_id: controllerId,
    lease_valid: true,
    duties: expect.arrayContaining(['schedules', 'storage samples']),
  });
});

it('a live controller cannot be removed, and a dead one can, with what appeared connected through it', async () => {
  const { controllerId } = t.controller.presence;
  const alive = await t.owner.call('DELETE', `${REGISTRY}/controller/${controllerId}`);
  expect(alive).toMatchObject({ status: 409, body: { code: 'controller.alive' } });
  const lost = await leaveRow(60_000);
  const client = await connectClient('orphan', t.project, lost);
  expect(await t.owner.call('DELETE', `${REGISTRY}/controller/${lost}`)).toMatchObject({ status: 204 });
  const row = await t.database.db.selectFrom('clients').selectAll().where('id', '=', client).executeTakeFirstOrThrow();
  expect(row).toMatchObject({ connected_to: null, disconnect_reason: 'controller_lost' });
  expect(await t.owner.call('DELETE', `${REGISTRY}/controller/${lost}`)).toMatchObject({ status: 404 });
  // A control plane is another name for a controller.
  const plane = `${REGISTRY}/control-plane`;
  expect((await t.owner.call('DELETE', `${plane}/${controllerId}`)).body.code).toBe('controller.alive');
  const second = await leaveRow(60_000);
  expect(await t.owner.call('DELETE', `${plane}/${second}`)).toMatchObject({ status: 204 });
  const { body } = await t.owner.call('GET', '/api/v3/audit/logs?action=controller.remove');
  expect(body.items).toMatchObject([
    { resource: { type: 'controller', id: second } },
    { resource: { type: 'controller', id: lost, name: 'lost-host' }, actor: { name: t.owner.username } },
  ]);
});

it('a project sees its own clients, and nothing of the load of the installation', async () => {
  const other = await t.createProject('other');
  const { controllerId } = t.controller.presence;
  const mine = await connectClient('same-name', t.project, controllerId);
  const theirs = await connectClient('same-name', other, controllerId);
  const admin = await t.createMember('admin');
  const data = await admin.call('GET', `${REGISTRY}/data?project=${t.project}`);
  expect(data.body.clients).toMatchObject([{ client_id: mine, controller_id: controllerId, project: t.project }]);
  expect(data.body.clients_total).toBe(1);
  expect(JSON.stringify(data.body)).not.toContain(theirs);
  const whole = await t.owner.call('GET', `${REGISTRY}/data`);
  expect(whole.body.clients_total).toBe(2);
  const { body } = await admin.call('GET', `${REGISTRY}/instances?project=${t.project}`);
  for (const { load } of body.instances) expect(load).toBeNull();
  expect((await admin.call('GET', `${REGISTRY}/instances?project=${other}`)).status).toBe(403);
  expect((await admin.call('GET', `${REGISTRY}/instances`)).status).toBe(400);
  expect((await admin.call('DELETE', `${REGISTRY}/controller/${createId()}`)).status).toBe(403);
  const editor = await t.createMember('editor');
  expect((await editor.call('GET', `${REGISTRY}/data?project=${t.project}`)).status).toBe(403);
});

it("the database's clock decides whether a controller is alive, whatever the clocks of controllers say", async () => {
  const { db } = t.database;
  const controllerId = createId();
  // By this clock, which is a minute behind, the controller has been silent for long.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 60_000 });
  onTestFinished(() => void vi.useRealTimers());
  const presence = new ControllerPresence({ db, controllerId, version: 'test', logger });
  await presence.start();
  await presence.takes('jobs');
  const client = await connectClient('behind', t.project, controllerId);
  // A minute ahead: the caller's clock must not matter.
  vi.setSystemTime(Date.now() + 120_000);
  const { rows } = await sql<{ live: boolean; connected: boolean }>`
    select ${isControllerLive} as live, ${isConnected()} as connected
    from controllers join clients on clients.connected_to = controllers.id where clients.id = ${client}`.execute(db);
  expect(rows).toEqual([{ live: true, connected: true }]);
  vi.useRealTimers();
  const { body } = await t.owner.call('GET', `${REGISTRY}/instances`);
  const own = body.instances.find(({ id }: { id: string }) => id === controllerId);
  expect(own).toMatchObject({ live: true });
  expect(own.last_seen_age_sec).toBeLessThan(30);
  expect(await t.owner.call('DELETE', `${REGISTRY}/controller/${controllerId}`)).toMatchObject({ status: 409 });
  await presence.close();
});

const readLease = () => t.database.db.selectFrom('leases').selectAll().executeTakeFirst();
const findHolder = async () => (await readLease())?.holder;

/** A controller's row and its lease, without anything else. */
async function createContender(timing: { lifeMs: number; renewMs: number }) {
  const controllerId = createId();
  const presence = new ControllerPresence({ db: t.database.db, controllerId, version: 'test', logger });
  await presence.start();
  const leadership = new Leadership({ db: t.database.db, controllerId, logger, timing });
  return { presence, leadership, close: () => leadership.close().then(() => presence.close()) };
}

it('one of many candidates becomes the leader, and a removed leader stops leading and notices', async () => {
  await t.database.db.deleteFrom('leases').execute();
  const timing = { lifeMs: 60_000, renewMs: 50 };
  const contenders = await Promise.all(Array.from({ length: 8 }, () => createContender(timing)));
  await Promise.all(contenders.map(({ leadership }) => leadership.start()));
  const wrote = await Promise.all(contenders.map(({ leadership }) => leadership.write(async () => true)));
  expect(wrote.filter(Boolean)).toHaveLength(1);
  const leading = contenders.find(({ leadership }) => leadership.isLeading);
  if (!leading) throw new Error('nobody leads');
  const { controllerId } = leading.presence;
  // The controller may beat once more before the request: then it is alive, and the removal is refused.
  const removeIt = async () => {
    await t.database.db
      .updateTable('controllers')
      .set({ seen_at: new Date(0) })
      .where('id', '=', controllerId)
      .execute();
    expect((await t.owner.call('DELETE', `${REGISTRY}/controller/${controllerId}`)).status).toBe(204);
  };
  await vi.waitFor(removeIt, WAIT);
  expect(await leading.leadership.write(async () => true)).toBeUndefined();
  await vi.waitFor(() => expect(leading.presence.removed.aborted).toBe(true), WAIT);
  await vi.waitFor(async () => expect(await findHolder()).toBeDefined(), WAIT);
  expect(await findHolder()).not.toBe(controllerId);
  expect(leading.leadership.isLeading).toBe(false);
  for (const { close } of contenders) await close();
});

it('an expired lease is acquired with a higher fence, and the previous holder writes nothing more', async () => {
  const { db } = t.database;
  const [one, two] = [await leaveRow(0), await leaveRow(0)];
  const name = 'test.duty';
  const first = await takeLease(db, { name, holder: one, lifeMs: 60_000 });
  expect(first).toEqual(expect.any(Number));
  expect(await takeLease(db, { name, holder: two, lifeMs: 60_000 })).toBeUndefined();
  expect(await takeLease(db, { name, holder: one, lifeMs: 60_000 })).toBeUndefined();
  const old = { name, fence: first ?? 0, lifeMs: 60_000 };
  expect(await whileLeased(db, old, async () => 'written')).toBe('written');
  await db
    .updateTable('leases')
    .set({ until: new Date(Date.now() - 60_000) })
    .where('name', '=', name)
    .execute();
  expect(await whileLeased(db, old, async () => 'written')).toBeUndefined();
  expect(await renewLease(db, old)).toBe(false);
  const second = await takeLease(db, { name, holder: two, lifeMs: 60_000 });
  expect(second).toBeGreaterThan(first ?? 0);
  expect(await whileLeased(db, old, async () => 'written')).toBeUndefined();
  // Dropping the old lease does not affect the new holder.
  await dropLease(db, name, old.fence);
  expect(await renewLease(db, { ...old, fence: second ?? 0 })).toBe(true);
  // A removed controller holds no lease.
  await db.deleteFrom('controllers').where('id', '=', two).execute();
  expect(await renewLease(db, { ...old, fence: second ?? 0 })).toBe(false);
  expect(await takeLease(db, { name, holder: two, lifeMs: 60_000 })).toBeUndefined();
});
