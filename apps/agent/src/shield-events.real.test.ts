import { create } from '@bufbuild/protobuf';
import { createTestStreams, type TestStreams } from '@flotilla/controller/testing/streams';
import { fleet } from '@flotilla/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestAgent, waitFor } from './testing/test-agent.ts';

let t: TestStreams;
beforeAll(async () => {
  t = await createTestStreams();
});
afterAll(() => t?.close());

const found = (...seqs: number[]) =>
  create(fleet.ShieldEventsSchema, { serviceId: 's1', epoch: 'e1', events: seqs.map((seq) => ({ seq: BigInt(seq) })) });
const received = () => t.fleet.log.filter((line) => line.startsWith('events '));

it('an agent repeats the findings of filters on every new stream until the controller has stored them', async () => {
  const agent = await TestAgent.enrolled(t);
  t.fleet.storesEvents = false;
  agent.host.events = [found(1, 2), found(3)];
  await agent.start();
  await waitFor('events', () => received().length > 0);
  expect(received()).toEqual(['events s1 1,2']);
  t.fleet.log.length = 0;
  t.streams.commands.displace(await agent.clientId());
  await waitFor('the same events', () => received().length > 0);
  expect(received()).toEqual(['events s1 1,2']);
  t.fleet.storesEvents = true;
  t.fleet.log.length = 0;
  t.streams.commands.displace(await agent.clientId());
  await waitFor('all stored', () => received().length >= 2);
  expect(received()).toEqual(['events s1 1,2', 'events s1 3']);
  await agent.close();
});
