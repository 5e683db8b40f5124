import { connect, type Socket } from 'node:net';
import { createTestStreams, type TestStreams } from '@flotilla/controller/testing/streams';
import { Metadata, status } from '@grpc/grpc-js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestAgent, waitFor } from '../testing/test-agent.ts';
import { openClient, openCommandCall, readErrorCode, readRetryMs } from './controller-client.ts';

const LIMITS = { handshakes: 2, waitingHandshakes: 20, waitingHandshakeMs: 5000, countedHandshakeMs: 300 };
const AT_ONCE = 2;

let t: TestStreams;
beforeAll(async () => {
  t = await createTestStreams({ limits: LIMITS, openingsAtOnce: AT_ONCE });
});
afterAll(() => t?.close());

async function dial(agent: TestAgent) {
  const identity = await agent.files.read();
  if (!identity) throw new Error('not enrolled');
  const client = openClient(agent.controller, identity);
  const call = openCommandCall(client);
  call.on('error', () => undefined);
  call.resume();
  const ended = new Promise<Parameters<typeof readErrorCode>[0]>((resolve) => call.on('status', resolve));
  return { client, call, ended };
}

it('a crowd of agents is admitted a few at a time, and everyone else is put off and comes back', async () => {
  const agents = await Promise.all(Array.from({ length: 12 }, () => TestAgent.enrolled(t)));
  let opening = 0;
  let most = 0;
  const { opened } = t.fleet;
  t.fleet.opened = async (client, hello) => {
    opening += 1;
    most = Math.max(most, opening);
    await new Promise((resolve) => setTimeout(resolve, 30));
    opening -= 1;
    return opened.call(t.fleet, client, hello);
  };
  const running = await Promise.all(agents.map((agent) => agent.start()));
  await waitFor('all are connected', () => running.every(({ isConnected }) => isConnected));
  expect(most).toBeLessThanOrEqual(AT_ONCE);
  expect(t.streams.commands.count).toBe(12);
  t.fleet.opened = opened;
  await Promise.all(agents.map((agent) => agent.close()));
});

it('a stream that is put off learns when to come back, and the audit log has no entry about it', async () => {
  const [first, second, third] = await Promise.all([1, 2, 3].map(() => TestAgent.enrolled(t)));
  if (!first || !second || !third) throw new Error('no agents');
  // They never send Hello, so both places are taken until its deadline.
  const silent = [await dial(first), await dial(second)];
  const arrived = () => t.streams.opening === AT_ONCE;
  await waitFor('both are opening', arrived);
  const late = await dial(third);
  const ending = await late.ended;
  expect(Reflect.get(Object(ending), 'code')).toBe(status.UNAVAILABLE);
  expect(readErrorCode(ending)).toBe('controller.busy');
  expect(readRetryMs(ending)).toBeGreaterThanOrEqual(500);
  expect((await t.deniedAudits()).filter(({ code }) => code === 'controller.busy')).toEqual([]);
  for (const { call, client } of [...silent, late]) {
    call.cancel();
    client.close();
  }
  await waitFor('the places are free', () => t.streams.opening === 0);
  const running = await third.start();
  await waitFor('connected', () => running.isConnected);
  await Promise.all([first, second, third].map((agent) => agent.close()));
});

it('connections that never begin their handshake do not keep an agent out', async () => {
  const agent = await TestAgent.enrolled(t);
  const silent: Socket[] = Array.from({ length: 15 }, () => {
    const socket = connect(t.port, '127.0.0.1');
    socket.on('error', () => undefined);
    return socket;
  });
  await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  const running = await agent.start();
  await waitFor('connected', () => running.isConnected);
  expect(silent.some((socket) => !socket.destroyed)).toBe(true);
  for (const socket of silent) socket.destroy();
  await agent.close();
});

it('connections beyond those that may wait are closed, and an agent among them comes back', async () => {
  const silent: Socket[] = [];
  let closed = 0;
  for (let n = 0; n < 40; n += 1) {
    const socket = connect(t.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.once('close', () => {
      closed += 1;
    });
    socket.resume();
    silent.push(socket);
  }
  await waitFor('some are closed', () => closed > 0);
  const agent = await TestAgent.enrolled(t);
  for (const socket of silent) socket.destroy();
  const running = await agent.start();
  await waitFor('connected', () => running.isConnected);
  await agent.close();
});

it('an agent survives any text in the time at which it should come back', () => {
  const said = (text: string) => {
    const metadata = new Metadata();
    metadata.set('flotilla-retry-ms', text);
    return readRetryMs(Object.assign(new Error('busy'), { metadata }));
  };
  expect(['800', '0', '-5', 'soon', '', '1e99', 'NaN', 'Infinity'].map(said)).toEqual([
    800,
    0,
    undefined,
    undefined,
    0,
    60_000,
    undefined,
    60_000,
  ]);
  expect(readRetryMs(new Error('no metadata'))).toBeUndefined();
});
