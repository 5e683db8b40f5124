import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createHaFleet, type HaFleet, rank } from '../testing/ha-fleet.ts';
import { readDeployed, readOwed } from './testing/pairs.ts';

const WAIT = { interval: 50 };

let t: HaFleet;
beforeAll(async () => {
  t = await createHaFleet();
});
afterAll(() => t?.close());

const until = (check: () => Promise<void>) => vi.waitFor(check, WAIT);
const deployedTo = async (service: { id: string }) =>
  [...(await readDeployed(t.database, service.id)).keys()].toSorted();

it('a loaded client and an empty one become a pair whose members are equal', async () => {
  const [loaded, empty] = [await t.createAppliance(), await t.createAppliance()];
  const service = await t.load(loaded, '192.0.2.200');
  await t.disconnect(empty.agent);
  const other = await t.createAppliance();
  const created = await t.ha('POST', '', { name: 'loaded', members: rank([other, loaded]) });
  expect(created.status, JSON.stringify(created.body)).toBe(201);
  await until(async () => expect(await deployedTo(service)).toEqual([loaded.clientId, other.clientId].toSorted()));
  await until(async () => {
    const { body } = await t.ha('GET', `/${created.body.id}`);
    expect(body.sync.pending).toEqual([]);
  });
});

it('the work that a member owes is shown with its reason, and retried on demand', async () => {
  const { pair, members } = await t.createPair();
  const [a, b] = members;
  await t.disconnect(b.agent);
  const service = await t.load(a, '192.0.2.201');
  await until(async () => {
    const { body } = await t.ha('GET', `/${pair.id}`);
    expect(body.sync.pending).toMatchObject([
      {
        service_id: service.id,
        client_id: b.clientId,
        op: 'deploy',
        attempts: 0,
        last_error: expect.stringContaining('offline'),
      },
    ]);
  });
  const retried = await t.ha('POST', `/${pair.id}/sync`);
  expect(retried.status, JSON.stringify(retried.body)).toBe(202);
  expect(retried.body.pending).toHaveLength(1);
  await t.connect(b.clientId);
  await until(async () => expect(await readOwed(t.database, pair.id)).toEqual([]));
  expect(await deployedTo(service)).toEqual([a.clientId, b.clientId].toSorted());
});

it('a forced removal of the source leaves the services on the other member', async () => {
  const { pair, members } = await t.createPair();
  const [a, b] = members;
  const service = await t.load(a, '192.0.2.202');
  await until(async () => expect(await readOwed(t.database, pair.id)).toEqual([]));
  await t.disconnect(a.agent);
  const removed = await t.owner.call('DELETE', `/api/op/clients/${a.clientId}?project=${t.project}&force=true`);
  expect(removed.status, JSON.stringify(removed.body)).toBeLessThan(300);
  await until(async () => expect(await readOwed(t.database, pair.id)).toEqual([]));
  expect(await deployedTo(service)).toEqual([b.clientId]);
});

it('a forced end of the pair leaves the services on one member, and nothing is owed', async () => {
  const { pair, members } = await t.createPair();
  const [a] = members;
  const service = await t.load(a, '192.0.2.203');
  await until(async () => expect(await readOwed(t.database, pair.id)).toEqual([]));
  const ended = await t.ha('DELETE', `/${pair.id}?force=true`);
  expect(ended.status, JSON.stringify(ended.body)).toBe(204);
  expect(await deployedTo(service)).toEqual([a.clientId]);
  const { rows } = await sql`select from ha_sync where service_id = ${service.id}`.execute(t.database.db);
  expect(rows).toEqual([]);
});
