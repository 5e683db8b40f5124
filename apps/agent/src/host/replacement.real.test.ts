import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout, fleet } from '@flotilla/proto';
import { startLoad } from '@flotilla/testkit';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  ask,
  bootstrapOf,
  createTestHost,
  desiredOf,
  ensureTestEnvoy,
  eventually,
  TEST_ENVOY_VERSIONS,
  type TestHost,
} from '../testing/test-host.ts';
import { readState } from './envoy/admin-client.ts';

const { oldest, newest } = TEST_ENVOY_VERSIONS;
let fixture: TestHost;
let port: number;

beforeAll(async () => {
  await Promise.all([ensureTestEnvoy(oldest), ensureTestEnvoy(newest)]);
});

beforeEach(async () => {
  fixture = await createTestHost();
  port = await findFreePort();
});

afterEach(async () => {
  await fixture.destroy();
});

describe.each(['auto', 'beside'] as const)('replacing an Envoy (%s)', (replacement) => {
  test.each([
    ['a new bootstrap', { version: newest }, { version: newest, body: 'two' }],
    ['a newer version', { version: oldest }, { version: newest }],
    ['an older version', { version: newest }, { version: oldest }],
  ] as const)('%s loses no new connection and no request', async (_, before, after) => {
    const host = fixture.open({ replacement, drain: { drainS: 1, shutdownS: 2 } });
    host.setDesired(desiredOf({ port, ...before }));
    const first = await host.settled('svc', 1n);
    expect(first.error).toBe('');
    const load = startLoad({ port, path: '/', perSecond: 600, newConnections: true });
    await pause(300);
    host.setDesired(desiredOf({ port, generation: 2n, ...after }));
    const second = await host.settled('svc', 2n);
    expect(second).toMatchObject({ error: '', generation: 2n, restarts: 0, envoyVersion: after.version });
    expect(second.envoyPid).not.toBe(first.envoyPid);
    await eventually(() => (isAlive(first.envoyPid) ? undefined : true));
    await pause(200);
    const { sent, failures, statuses } = await load.stop();
    expect(failures).toEqual([]);
    expect(statuses.get(200)).toBe(sent);
    expect(sent).toBeGreaterThan(600);
    expect(host.reports()[0]?.restarts).toBe(0);
  });
});

test.each(['auto', 'beside'] as const)(
  'a replaced Envoy finishes its requests within the drain time of the service, and no longer (%s)',
  async (replacement) => {
    const host = fixture.open({ replacement, drain: { drainS: 1, shutdownS: 1 } });
    host.setDesired(desiredOf({ port }));
    const { envoyPid } = await host.settled('svc', 1n);
    const ask = (ms: number) =>
      fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-envoy-fault-delay-request': `${ms}` } });
    // The drain time of 1 s ends 6 s after the hand-over.
    const [inTime, late] = [ask(4_500), ask(60_000).catch(() => 'cut')];
    await pause(200);
    host.setDesired(desiredOf({ port, generation: 2n, body: 'two', drainTimeS: 1 }));
    expect((await host.settled('svc', 2n)).error).toBe('');
    expect(await (await inTime).text()).toBe('one');
    expect(await late).toBe('cut');
    await eventually(() => (isAlive(envoyPid) ? undefined : true));
  },
);

test('a replacement does not wait for an Envoy that drains for long, which keeps its requests', async () => {
  const host = fixture.open();
  host.setDesired(desiredOf({ port, drainTimeS: 600 }));
  const first = await host.settled('svc', 1n);
  host.setDesired(desiredOf({ port, generation: 2n, body: 'two', drainTimeS: 600 }));
  expect((await host.settled('svc', 2n)).error).toBe('');
  const load = startLoad({ port, path: '/', perSecond: 300, newConnections: true });
  host.setDesired(desiredOf({ port, generation: 3n, body: 'three', drainTimeS: 600 }));
  expect((await host.settled('svc', 3n)).error).toBe('');
  expect((await load.stop()).failures).toEqual([]);
  expect(await ask(port)).toBe('three');
  expect(isAlive(first.envoyPid)).toBe(true);
});

test('replacements in a row keep the traffic, also faster than they drain', async () => {
  const host = fixture.open();
  host.setDesired(desiredOf({ port }));
  await host.settled('svc', 1n);
  const load = startLoad({ port, path: '/', perSecond: 300, newConnections: true });
  for (const generation of [2n, 3n, 4n]) {
    host.setDesired(desiredOf({ port, generation, body: `body ${generation}` }));
    expect((await host.settled('svc', generation)).error).toBe('');
  }
  const { failures } = await load.stop();
  expect(failures).toEqual([]);
  expect(await ask(port)).toBe('body 4');
});

test.each([
  ['that Envoy refuses', { static_resources: { listeners: [{ name: 'broken', adress: {} }] } }, 'adress'],
  ['that is no JSON', 'nonsense', 'nonsense'],
])('a bootstrap %s leaves the running Envoy alone', async (_, bootstrap, word) => {
  const host = fixture.open();
  host.setDesired(desiredOf({ port }));
  const { envoyPid } = await host.settled('svc', 1n);
  host.setDesired(desiredOf({ port, generation: 2n, bootstrap }));
  const report = await host.settled('svc', 2n);
  expect(report).toMatchObject({ phase: fleet.NodePhase.RUNNING, generation: 1n, envoyPid });
  expect(report.error).toContain(word);
  process.kill(envoyPid, 'SIGKILL');
  await eventually(() => (host.reports()[0]?.restarts === 1 ? true : undefined));
  await eventually(async () => ((await ask(port)) === 'one' ? true : undefined));
  host.setDesired(desiredOf({ port, generation: 3n, body: 'three' }));
  expect((await host.settled('svc', 3n)).error).toBe('');
  expect(await ask(port)).toBe('three');
});

test('a first bootstrap that cannot bind is reported with the words of Envoy and tried again', async () => {
  const host = fixture.open();
  const squatter = createServer().listen(port, '127.0.0.1');
  await new Promise((resolve) => squatter.once('listening', resolve));
  host.setDesired(desiredOf({ port }));
  const report = await host.settled('svc', 1n);
  expect(report.phase).toBe(fleet.NodePhase.FAILED);
  expect(report.error).toContain('bind');
  await new Promise((resolve) => squatter.close(resolve));
  await eventually(() => (host.reports()[0]?.phase === fleet.NodePhase.RUNNING ? true : undefined));
  expect(await ask(port)).toBe('one');
});

test('a version that cannot be had is reported, and the running one stays', async () => {
  const host = fixture.open();
  host.setDesired(desiredOf({ port }));
  const { envoyPid } = await host.settled('svc', 1n);
  host.setDesired(desiredOf({ port, generation: 2n, version: 'none' }));
  expect(await host.settled('svc', 2n)).toMatchObject({ envoyPid, generation: 1n, phase: fleet.NodePhase.RUNNING });
  expect(host.reports()[0]?.error).toContain('none');
});

test('a second Envoy that dies while taking over leaves the first in charge', async () => {
  const host = fixture.open();
  host.setDesired(desiredOf({ port }));
  await host.settled('svc', 1n);
  // Binds only while running, so the check of the bootstrap does not notice it
  const taken = await findFreePort();
  const squatter = createServer().listen(taken, '127.0.0.1');
  await new Promise((resolve) => squatter.once('listening', resolve));
  host.setDesired(desiredOf({ port, generation: 2n, bootstrap: bootstrapOf(taken, 'two') }));
  const report = await host.settled('svc', 2n);
  expect(report).toMatchObject({ generation: 1n, restarts: 0, phase: fleet.NodePhase.RUNNING });
  expect(report.error).toContain('bind');
  const adminSocket = host.adminSocket('svc');
  expect(adminSocket && (await readState(adminSocket))).toBe('LIVE');
  expect(await ask(port)).toBe('one');
  await new Promise((resolve) => squatter.close(resolve));
  host.setDesired(desiredOf({ port, generation: 3n, body: 'three' }));
  expect((await host.settled('svc', 3n)).error).toBe('');
  expect(await ask(port)).toBe('three');
});

test('an agent killed while it replaces is followed by one that finishes', async () => {
  const host = fixture.open();
  host.setDesired(desiredOf({ port }));
  await host.settled('svc', 1n);
  const load = startLoad({ port, path: '/', perSecond: 200, newConnections: true });
  host.setDesired(desiredOf({ port, generation: 2n, body: 'two' }));
  await eventually(() => (readFileSync(`${stateOf(fixture)}`, 'utf8').includes('"starting"') ? true : undefined));
  await host.close({ stopServices: false });
  const next = fixture.open();
  const report = await next.settled('svc', 2n);
  expect(report.error).toBe('');
  expect(await ask(port)).toBe('two');
  expect((await load.stop()).failures).toEqual([]);
});

test('restart, reload, status and logs do what they say', async () => {
  const host = fixture.open();
  host.setDesired(desiredOf({ port }));
  const { envoyPid } = await host.settled('svc', 1n);
  const reloaded = await host.control('svc', 'reload');
  expect(reloaded).toMatchObject({ ok: true });
  expect(reloaded.report?.envoyPid).not.toBe(envoyPid);
  const restarted = await host.control('svc', 'restart');
  expect(restarted).toMatchObject({ ok: true });
  expect(restarted.report?.envoyPid).not.toBe(reloaded.report?.envoyPid);
  expect(await ask(port)).toBe('one');
  host.setDesired(desiredOf({ port, generation: 2n, runState: fleet.RunState.STOPPED }));
  expect((await host.settled('svc', 2n)).phase).toBe(fleet.NodePhase.STOPPED);
  expect(await ask(port)).toBeUndefined();
  const { units } = await host.control('svc', 'status');
  expect(units).toEqual([]);
  expect(await host.control('svc', 'restart')).toMatchObject({ ok: false, error: expect.stringContaining('stopped') });
  host.setDesired(desiredOf({ port, generation: 3n }));
  expect((await host.settled('svc', 3n)).phase).toBe(fleet.NodePhase.RUNNING);
  expect(await ask(port)).toBe('one');
  const { logs } = await host.control('svc', 'logs', { lines: 5 });
  expect(logs?.envoy).toHaveLength(5);
  expect(await host.control('nobody', 'status')).toMatchObject({ ok: false });
});

function stateOf({ dirs }: TestHost): string {
  return `${deriveServiceLayout(dirs, 'svc').dataDir}/state.json`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
