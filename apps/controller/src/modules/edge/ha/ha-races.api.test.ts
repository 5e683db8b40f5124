import { createId } from '@flotilla/kit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../../testing/controller.ts';
import { createHaFleet, type HaFleet, rank } from './testing/ha-fleet.ts';

let t: HaFleet;
beforeAll(async () => {
  t = await createHaFleet();
});
afterAll(() => t.close());

const ROUNDS = 8;
const newName = () => `pair-${createId().slice(-8)}`;
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();
const single = async () => {
  const only = await t.createAppliance();
  return (await t.ha('POST', '', { name: newName(), members: rank([only]) })).body;
};

describe('of requests at the same time', () => {
  it('one creates a pair of the same clients, in either order', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [a, b] = [await t.createAppliance(), await t.createAppliance()];
      const answers = await Promise.all([
        t.ha('POST', '', { name: newName(), members: rank([a, b]) }),
        t.ha('POST', '', { name: newName(), members: rank([b, a]) }),
        t.ha('POST', '', { name: newName(), members: rank([b]) }),
      ]);
      expect(statuses(answers)).toEqual([201, 409, 409]);
      for (const { status, body } of answers)
        if (status === 409) expect(body.message).toBe('the client is already a member of an HA pair');
    }
  });

  it('one creates a pair of the same name', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const name = newName();
      const clients = [await t.createAppliance(), await t.createAppliance()];
      const answers = await Promise.all(clients.map((one) => t.ha('POST', '', { name, members: rank([one]) })));
      expect(statuses(answers)).toEqual([201, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.code).toBe('ha.exists');
    }
  });

  it('one fills the vacancy', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await single();
      const clients = [await t.createAppliance(), await t.createAppliance()];
      const answers = await Promise.all(
        clients.map(({ clientId }, i) => t.ha('POST', `/${id}/members`, { client_id: clientId, priority: i + 1 })),
      );
      expect(statuses(answers)).toEqual([200, 409]);
      expect((await t.ha('GET', `/${id}`)).body.members).toHaveLength(2);
    }
  });

  it('one lets a client join one of two pairs', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const pairs = [await single(), await single()];
      const { clientId } = await t.createAppliance();
      const answers = await Promise.all(
        pairs.map(({ id }) => t.ha('POST', `/${id}/members`, { client_id: clientId, priority: 1 })),
      );
      expect(statuses(answers)).toEqual([200, 409]);
    }
  });

  it('each change of a pair counts, and none is lost', async () => {
    const { pair } = await t.createPair();
    const changes = [{ preempt: true }, { hb: { misses: 7 } }, { fence_targets: ['192.0.2.254'] }, { name: newName() }];
    const answers = await Promise.all(changes.map((body) => t.ha('PUT', `/${pair.id}`, body)));
    expect(statuses(answers)).toEqual([200, 200, 200, 200]);
    expect((await t.ha('GET', `/${pair.id}`)).body).toMatchObject({
      config_rev: 5,
      preempt: true,
      hb: { misses: 7 },
      fence_targets: ['192.0.2.254'],
    });
  });

  it('a change and a deletion leave no pair', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { pair } = await t.createPair();
      const [changed, removed] = await Promise.all([
        t.ha('PUT', `/${pair.id}`, { preempt: true }),
        t.ha('DELETE', `/${pair.id}`),
      ]);
      expect(removed.status).toBe(204);
      expect([200, 404]).toContain(changed.status);
      expect((await t.ha('GET', `/${pair.id}`)).status).toBe(404);
    }
  });

  it('the removal of a client and a pair of it exclude each other', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { clientId } = await t.createAppliance();
      const [made, removed] = await Promise.all([
        t.ha('POST', '', { name: newName(), members: rank([{ clientId }]) }),
        t.owner.call('DELETE', `/api/op/clients/${clientId}?force=true`),
      ]);
      const isPaired = made.status === 201;
      if (!isPaired) expect(made.body.message).toBe('client not found in the project');
      const rows = await t.database.db
        .selectFrom('ha_members')
        .innerJoin('clients', 'clients.id', 'ha_members.client_id')
        .select('client_id')
        .where('client_id', '=', clientId)
        .execute();
      const isGone = removed.status < 300;
      expect(isGone || removed.body.code === 'ha.client_is_member', JSON.stringify(removed.body)).toBe(true);
      expect(rows).toHaveLength(isGone ? 0 : 1);
    }
  });

  it('the removals of both members leave neither a pair nor a deadlock', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { pair, members } = await t.createPair();
      const answers = await Promise.all(
        members.map(({ clientId }) => t.owner.call('DELETE', `/api/op/clients/${clientId}?force=true`)),
      );
      for (const { status, body } of answers) expect(status, JSON.stringify(body)).toBeLessThan(300);
      expect((await t.ha('GET', `/${pair.id}`)).status).toBe(404);
    }
  });

  it('deploys to both members, changes of the pair and its deletion with force all end', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { pair, members } = await t.createPair();
      const services = [await t.createService(), await t.createService()];
      const deploys = services.flatMap(({ name }) =>
        members.map(({ clientId }) =>
          t.owner.call('POST', `/api/op/clients?project=${t.project}`, {
            type: 'DEPLOY',
            clients: [{ client_id: clientId }],
            command: { name },
          }),
        ),
      );
      const answers = await Promise.all([
        ...deploys,
        t.ha('PUT', `/${pair.id}`, { preempt: true }),
        t.ha('POST', `/${pair.id}/push`),
        t.ha('DELETE', `/${pair.id}?force=true`),
      ]);
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
      expect((await t.ha('GET', `/${pair.id}`)).status).toBe(404);
    }
  });

  it('two clients that get services at once are never both loaded members of a pair', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [a, b] = [await t.createAppliance(), await t.createAppliance()];
      await t.load(a);
      const { name } = await t.createService();
      const [made] = await Promise.all([
        t.ha('POST', '', { name: newName(), members: rank([a, b]) }),
        t.owner.call('POST', `/api/op/clients?project=${t.project}`, {
          type: 'DEPLOY',
          clients: [{ client_id: b.clientId }],
          command: { name },
        }),
      ]);
      expect([201, 409]).toContain(made.status);
      if (made.status === 409) expect(made.body.code).toBe('ha.both_loaded');
    }
  });
});
