import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestFleet, type TestFleet } from '../../../testing/fleet.ts';

let t: TestFleet;
beforeAll(async () => {
  t = await createTestFleet();
});
afterAll(() => t.close());

/** The same sequence in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state / 0x7fff_ffff;
  };
}

it('concurrent commands on few clients and services are all answered, without an internal error or a contradiction', async () => {
  const random = createRandom(7);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const clients = await Promise.all(['a', 'b', 'c', 'd'].map((name) => t.createClient(name)));
  const services = await Promise.all([1, 2, 3].map(() => t.createService()));
  const agents = await Promise.all(clients.slice(0, 3).map((id) => t.connect(id)));
  for (const agent of agents) agent.react = () => (random() < 0.5 ? { outcome: fleet.Outcome.DONE } : 'accept');
  const project = t.project;
  const command = (type: string, sub_type = '') =>
    t.owner.call('POST', `/api/op/clients?project=${project}&wait_ms=20`, {
      type,
      sub_type,
      clients: clients.filter(() => random() < 0.6).map((client_id) => ({ client_id })),
      command: { name: pick(services).name },
    });
  const service = (method: string, body?: unknown) =>
    t.owner.call(method, `/api/op/services/${pick(services).id}?project=${project}`, body);
  const steps = [
    () => command('DEPLOY'),
    () => command('DEPLOY'),
    () => command('UNDEPLOY'),
    () => command('SERVICE', 'SUB_STOP'),
    () => command('SERVICE', 'SUB_RESTART'),
    () => command('UPDATE_BOOTSTRAP'),
    () => service('PATCH', { clients: clients.filter(() => random() < 0.5).map((client_id) => ({ client_id })) }),
    () => service('PATCH', { listeners: [pick(['web', 'one', 'two'])] }),
    () => service('DELETE'),
    () => t.owner.call('DELETE', `/api/op/clients/${clients[3]}?force=true`),
    () => t.owner.call('GET', `/api/op/services?project=${project}`),
    () => t.controller.fleet.commands.sweep(new Date(Date.now() + 3_600_000)).then(() => ({ status: 200, body: null })),
  ];
  const answers: Array<{ status: number; body: unknown }> = [];
  for (let round = 0; round < 8; round += 1) {
    answers.push(...(await Promise.all(Array.from({ length: 12 }, () => pick(steps)()))));
  }
  const broken = answers.filter(({ status }) => status >= 500);
  expect(broken, JSON.stringify(broken.slice(0, 3))).toEqual([]);
  expect(new Set(answers.map(({ status }) => status)).size).toBeGreaterThan(1);

  const { db } = t.database;
  const targets = await db.selectFrom('service_targets').selectAll().execute();
  const ports = await db.selectFrom('admin_ports').selectAll().execute();
  for (const target of targets) {
    const own = ports.filter((port) => port.client_id === target.client_id && port.service_id === target.service_id);
    expect(own).toHaveLength(1);
  }
  const left = await db.selectFrom('clients').select('id').execute();
  const ids = new Set(left.map(({ id }) => id));
  expect(targets.filter((target) => !ids.has(target.client_id))).toEqual([]);
  // The agents' last desired state matches the tables.
  for (const agent of agents) {
    agent.readDesired();
    await agent.settled();
    const lastSent = agent.desired.at(-1)?.services.map(({ serviceId }) => serviceId) ?? [];
    const meant = targets.filter((target) => target.client_id === agent.clientId && target.deployed);
    expect(lastSent.toSorted()).toEqual(meant.map((target) => target.service_id).toSorted());
  }
});
