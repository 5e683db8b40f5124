import { createTestStreams, revokeClient, type TestStreams } from '@flotilla/controller/testing/streams';
import { sleep } from '@flotilla/kit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestAgent, waitFor } from '../testing/test-agent.ts';

let t: TestStreams;
beforeAll(async () => {
  t = await createTestStreams();
});
afterAll(() => t?.close());

it('an agent whose certificate expired while its host was off renews it and connects', async () => {
  const agent = await TestAgent.enrolled(t);
  const before = await agent.files.read();
  t.clock.advance(3 * 86_400_000);
  const running = await agent.start({ renewal: { random: () => 0, checkMs: 50 } });
  await waitFor('connected', () => running.isConnected);
  expect((await agent.files.read())?.certificatePem).not.toBe(before?.certificatePem);
  expect(await agent.clientId()).toBe(before?.clientId);
  await agent.close();
});

it('a revoked agent is disconnected, leaves its pair, keeps its services and reconnects rarely', async () => {
  const agent = await TestAgent.enrolled(t);
  const running = await agent.start();
  await waitFor('connected', () => running.isConnected);
  agent.host.settle('web', 1n);
  const desired = agent.host.desired;
  const clientId = await agent.clientId();
  await t.database.db.transaction().execute((tx) => revokeClient(tx, clientId, 'test', new Date(t.clock.now())));
  await waitFor('cut', () => !running.isConnected);
  await sleep(1000);
  const refusals = (await t.deniedAudits()).filter(
    ({ action, actor }) => action === 'client.connect' && actor === clientId,
  );
  expect(refusals.length).toBeGreaterThanOrEqual(1);
  expect(refusals.length).toBeLessThanOrEqual(3);
  expect(agent.host.desired).toBe(desired);
  expect(new Set(agent.host.done)).toEqual(new Set(['leave the pair']));
  await agent.close();
});

it('a host enrols again with a new token, and keeps its identity if that token is invalid', async () => {
  const agent = await TestAgent.enrolled(t);
  const before = await agent.files.read();
  const expired = await t.createToken(await t.createProject(), -1000);
  expect((await agent.enrol(expired)).ok).toBe(false);
  expect(await agent.files.read()).toEqual(before);
  const fresh = await agent.enrol(await t.createToken(await t.createProject()));
  expect(fresh.ok && fresh.value.clientId).not.toBe(before?.clientId);
  await agent.close();
});
