import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestController, type TestController } from '@flotilla/controller/testing/controller';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { NetworkStage, PEER, PORT } from '../testing/network-stage.ts';

/** The real program in a namespace whose only way to the controller is eth0. */
const PROGRAM = join(import.meta.dirname, '../../../cli/src/entry.ts');

let t: TestController;
let dir: string;
let stage: NetworkStage;
let bridge: ChildProcess;
let agent: ChildProcess;
let clientId: string;

beforeAll(async () => {
  t = await createTestController();
  const port = await t.controller.streams.listen({ host: '127.0.0.1', port: 0 });
  dir = mkdtempSync(join(tmpdir(), 'fb-'));
  // A socket in the file system is the one thing that leads out of a namespace.
  const socket = join(dir, 'bridge');
  bridge = spawn('socat', [`UNIX-LISTEN:${socket},fork`, `TCP:127.0.0.1:${port}`], { stdio: 'ignore' });
  stage = new NetworkStage(`UNIX-CONNECT:${socket}`);
  const made = await t.owner.call('POST', `/api/v3/setting/enrolment-tokens?project=${t.project}`, {});
  agent = startAgent(made.body.token);
  clientId = await vi.waitFor(async () => {
    const id = await findConnected();
    expect(id).not.toBe('');
    return id;
  });
});
afterAll(async () => {
  agent?.kill('SIGKILL');
  bridge?.kill('SIGKILL');
  stage?.close();
  rmSync(dir, { recursive: true, force: true });
  await t?.close();
});

function startAgent(token?: string): ChildProcess {
  const folders = ['--data', join(stage.dir, 'agent'), '--runtime', join(stage.dir, 'run')];
  const network = ['--network-root', stage.settings.root, '--network-driver', 'ip'];
  const args = ['agent', '--controller', `${PEER}:${PORT}`, '--mode', 'supervisor', ...folders, ...network];
  const command = ['netns', 'exec', stage.host, process.execPath, PROGRAM, ...args];
  const env = { ...process.env, SVC_AGENT_CLOUD_DETECTION: 'off', ...(token && { SVC_AGENT_ENROL_TOKEN: token }) };
  // `ip netns exec` becomes the program, so the process is the agent itself.
  return spawn('ip', command, { stdio: ['ignore', 'ignore', 'inherit'], env: { ...env, SVC_LOG_LEVEL: 'silent' } });
}

/** The id of the client while it is connected; empty otherwise. */
async function findConnected(): Promise<string> {
  const { body } = await t.owner.call('GET', `/api/op/clients?project=${t.project}`);
  return body.items.find((one: { connected: boolean }) => one.connected)?.client_id ?? '';
}

async function send(sub_type: string, command: Record<string, unknown>, waitMs = 90_000) {
  const body = { type: 'NETWORK', sub_type, clients: [{ client_id: clientId }], command };
  const answer = await t.owner.call('POST', `/api/op/clients?project=${t.project}&wait_ms=${waitMs}`, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.results[0];
}

const document = (address: string) => ({
  netplan_config: {
    yaml_content: `network: {version: 2, ethernets: {eth0: {addresses: ["${address}"], mtu: 1400}}}`,
    test_timeout_seconds: 5,
  },
});

it('a change is confirmed over a new connection of the agent itself, and one that cuts it off is taken back', async () => {
  const { body: client } = await t.owner.call('GET', `/api/op/clients/${clientId}?project=${t.project}`);
  expect(client.capabilities).toContainEqual(expect.objectContaining({ name: 'network', available: true }));
  expect(await send('SUB_NETPLAN_APPLY', document('192.0.2.77/24'))).toMatchObject({
    outcome: 'done',
    result: { generation: 1, safety_info: { test_timeout_seconds: 5 } },
  });
  const kept = stage.snapshot();
  expect(kept).toContain('192.0.2.77');
  expect(await send('SUB_NETPLAN_APPLY', document('203.0.113.77/24'))).toMatchObject({
    outcome: 'failed',
    error: { code: 'network.not_confirmed', message: expect.stringContaining('as before') },
  });
  expect(stage.snapshot()).toBe(kept);
  const route = { to: `${PEER}/32`, via: '192.0.2.200', interface: 'eth0' };
  expect(
    await send('SUB_ROUTE_MANAGE', { test_timeout_seconds: 3, route_operations: [{ action: 'ADD', route }] }),
  ).toMatchObject({ outcome: 'failed', error: { code: 'network.not_confirmed' } });
  expect(stage.snapshot()).toBe(kept);
  expect(await send('SUB_GET_NETWORK_STATE', {})).toMatchObject({
    outcome: 'done',
    result: { network_state: { current_netplan_yaml: expect.stringContaining('192.0.2.77/24') } },
  });
});

it('an agent that is killed during a change that cuts it off comes back, and says that the network is as before', async () => {
  const before = stage.snapshot();
  const { command_id: id } = await send('SUB_NETPLAN_APPLY', document('203.0.113.78/24'), 0);
  await expect.poll(() => stage.snapshot()).toContain('203.0.113.78');
  const gone = once(agent, 'exit');
  agent.kill('SIGKILL');
  await gone;
  await expect.poll(() => stage.snapshot()).toBe(before);
  agent = startAgent();
  const read = async () => (await t.owner.call('GET', `/api/op/commands/${id}?project=${t.project}`)).body;
  await expect.poll(read).toMatchObject({ outcome: 'failed', error: { code: 'network.not_confirmed' } });
  expect(await send('SUB_ROUTE_LIST', {})).toMatchObject({ outcome: 'done' });
});
