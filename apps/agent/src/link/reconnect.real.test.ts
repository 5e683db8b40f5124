import { create } from '@bufbuild/protobuf';
import { createTestStreams, type TestStreams } from '@flotilla/controller/testing/streams';
import { createId, sleep } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestAgent, waitFor } from '../testing/test-agent.ts';

let t: TestStreams;
beforeAll(async () => {
  t = await createTestStreams();
});
afterAll(() => t?.close());

/** Returns a seeded random generator (mulberry32), so that a failure can be reproduced. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function queueCommand(type: string, fields: { subType?: string; serviceId?: string; fence?: bigint } = {}): string {
  const commandId = createId();
  const command = create(fleet.CommandSchema, { commandId, type, serviceId: 's', fence: 1n, ...fields });
  t.fleet.commands.set(commandId, command);
  return commandId;
}

describe('a command stream that breaks', () => {
  it.each([1, 2, 3])(
    'loses no command and runs none twice when it is cut at random moments (seed %i)',
    async (seed) => {
      const random = createRandom(seed);
      const agent = await TestAgent.enrolled(t);
      const clientId = await agent.clientId();
      agent.host.during = () => sleep(random() * 10);
      t.fleet.beforeResult = () => sleep(random() * 10);
      await agent.start();
      const commandIds: string[] = [];
      for (let i = 0; i < 60; i += 1) {
        commandIds.push(queueCommand('SERVICE', { subType: 'SUB_RESTART', serviceId: `s${i}` }));
        t.streams.commands.noteCommands(clientId);
        await sleep(random() * 8);
        if (random() < 0.3) t.streams.commands.displace(clientId);
        if (random() < 0.04) await t.restart();
      }
      await waitFor('all have an outcome', () => commandIds.every((id) => t.fleet.results.has(id)));
      for (const [i, id] of commandIds.entries()) {
        expect(
          agent.host.done.filter((line) => line === `restart s${i}`),
          `command ${i}`,
        ).toHaveLength(1);
        const outcomes = new Set(t.fleet.results.get(id)?.map(({ outcome }) => outcome));
        expect([...outcomes]).toEqual([fleet.Outcome.DONE]);
      }
      t.fleet.beforeResult = () => Promise.resolve();
      await agent.close();
    },
    90_000,
  );

  it('repeats a result until the controller has stored it', async () => {
    const agent = await TestAgent.enrolled(t);
    await agent.start();
    let failures = 3;
    t.fleet.beforeResult = () =>
      failures-- > 0 ? Promise.reject(new Error('the database is unavailable')) : Promise.resolve();
    const id = queueCommand('CLIENT_STATS');
    t.streams.commands.noteCommands(await agent.clientId());
    await waitFor('stored', () => t.fleet.results.has(id));
    expect(failures).toBeLessThan(0);
    t.fleet.beforeResult = () => Promise.resolve();
    await agent.close();
  });

  it('reconnects after the controller was away, and gets a new desired state', async () => {
    const agent = await TestAgent.enrolled(t);
    const running = await agent.start();
    await waitFor('connected', () => running.isConnected);
    await t.stop();
    await waitFor('gone', () => !running.isConnected);
    agent.host.settle('quiet', 4n);
    t.fleet.log.length = 0;
    await t.restart();
    await waitFor('connected', () => running.isConnected);
    t.fleet.revision += 1n;
    await waitFor('desired state', () => agent.host.desired !== undefined);
    await agent.close();
  });
});

it('the agent passes the desired state to the host and the reports of the host to the controller', async () => {
  const agent = await TestAgent.enrolled(t);
  t.fleet.services = [create(fleet.DesiredServiceSchema, { serviceId: 's1', generation: 4n })];
  t.fleet.revision += 1n;
  await agent.start();
  await waitFor('desired', () => agent.host.desired?.services[0]?.serviceId === 's1');
  t.fleet.log.length = 0;
  agent.host.settle('s1', 4n);
  await waitFor('reported', () => t.fleet.log.includes('node s1'));
  const id = queueCommand('DEPLOY', { serviceId: 's1' });
  t.streams.commands.noteCommands(await agent.clientId());
  await waitFor('stored', () => t.fleet.results.has(id));
  expect(t.fleet.results.get(id)?.[0]?.outcome).toBe(fleet.Outcome.DONE);
  await waitFor('stats', () => t.fleet.log.includes('stats'));
  t.fleet.services = [];
  await agent.close();
});
