import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout, fleet } from '@flotilla/proto';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { ask, createTestHost, desiredOf, ensureTestEnvoy, eventually, type TestHost } from '../testing/test-host.ts';

describe.each(['supervisor', 'systemd'] as const)('a host with %s', (backend) => {
  let fixture: TestHost;
  let port: number;

  beforeAll(async () => {
    await ensureTestEnvoy();
  });

  beforeEach(async () => {
    fixture = await createTestHost(backend);
    port = await findFreePort();
  });

  afterEach(async () => {
    await fixture.destroy();
  });

  test('a desired service is brought to life and reported', async () => {
    const host = fixture.open();
    host.setDesired(desiredOf({ port }));
    const report = await host.settled('svc', 1n);
    expect(report).toMatchObject({ phase: fleet.NodePhase.RUNNING, error: '', generation: 1n, envoyVersion: '1.40.0' });
    expect(await ask(port)).toBe('one');
  });

  test('an Envoy that is killed is started again', async () => {
    const host = fixture.open();
    host.setDesired(desiredOf({ port }));
    const { envoyPid } = await host.settled('svc', 1n);
    process.kill(envoyPid, 'SIGKILL');
    await eventually(() => (host.reports()[0]?.restarts === 1 ? true : undefined));
    await eventually(() => ask(port));
  });

  test('a restart begins a new time for its state (fault L15)', async () => {
    const host = fixture.open();
    host.setDesired(desiredOf({ port }));
    const { sinceMs, envoyPid } = await host.settled('svc', 1n);
    const controlled = await host.control('svc', 'restart', { signal: AbortSignal.timeout(30_000) });
    expect(controlled.ok).toBe(true);
    const report = host.reports()[0];
    expect(report?.envoyPid).not.toBe(envoyPid);
    expect(report?.sinceMs).toBeGreaterThan(sinceMs);
  });

  test('a restarted agent adopts what runs and still restarts it after a crash', async () => {
    const first = fixture.open();
    first.setDesired(desiredOf({ port }));
    const { envoyPid } = await first.settled('svc', 1n);
    await first.close({ stopServices: false });
    expect(await ask(port)).toBe('one');
    const second = fixture.open();
    await eventually(() => second.reports()[0]);
    const report = await second.settled('svc', 1n);
    expect(report.envoyPid).toBe(envoyPid);
    expect(report.restarts).toBe(0);
    process.kill(envoyPid, 'SIGKILL');
    await eventually(() => ((second.reports()[0]?.restarts ?? 0) > 0 ? true : undefined));
    await eventually(() => ask(port));
  });

  test('an undeployed service leaves nothing behind', async () => {
    const host = fixture.open();
    host.setDesired(desiredOf());
    await host.settled('none', 0n);
    const before = listEverything(fixture);
    const adminPort = await findFreePort();
    host.setDesired(desiredOf({ port, adminPort }));
    await host.settled('svc', 1n);
    const baseIds = baseIdsIn(fixture);
    host.setDesired(desiredOf({ port, adminPort, generation: 2n, body: 'two' }));
    await host.settled('svc', 2n);
    baseIds.push(...baseIdsIn(fixture));
    expect(sharedMemoryOf(baseIds).length).toBeGreaterThanOrEqual(2);
    expect(await fetch(`http://127.0.0.1:${adminPort}/ready`).then((answer) => answer.text())).toBe('LIVE\n');
    expect(await ask(port)).toBe('two');
    expect(listEverything(fixture)).not.toEqual(before);
    host.setDesired(desiredOf());
    const report = await host.settled('svc', 2n);
    expect(report.removed).toBe(true);
    expect(listEverything(fixture)).toEqual(before);
    expect(sharedMemoryOf(baseIds)).toEqual([]);
    await expect(fetch(`http://127.0.0.1:${adminPort}/ready`)).rejects.toThrow();
    expect(await ask(port)).toBeUndefined();
  });
});

test('the service runs as a user of its own whose folders are shut to others', async () => {
  if (process.getuid?.() !== 0) return;
  const fixture = await createTestHost();
  const port = await findFreePort();
  const host = fixture.open();
  const other = await findFreePort();
  host.setDesired(desiredOf({ port }, { serviceId: 'other', port: other }));
  const [one, two] = await Promise.all([host.settled('svc', 1n), host.settled('other', 1n)]);
  const [uidOne, uidTwo] = [one, two].map(({ envoyPid }) => uidOf(envoyPid));
  expect(uidOne).toBeGreaterThan(0);
  expect(uidTwo).toBeGreaterThan(0);
  expect(uidOne).not.toBe(uidTwo);
  const layout = deriveServiceLayout(fixture.dirs, 'other');
  const read = (path: string) =>
    execFileSync('setpriv', [`--reuid=${uidOne}`, `--regid=${uidOne}`, '--clear-groups', 'ls', path], {
      stdio: 'pipe',
    });
  expect(() => read(layout.dataDir)).toThrow();
  expect(() => read(layout.runtimeDir)).toThrow();
  await fixture.destroy();
});

function uidOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}

function baseIdsIn({ dirs }: TestHost): number[] {
  const text = readFileSync(`${deriveServiceLayout(dirs, 'svc').dataDir}/state.json`, 'utf8');
  return (JSON.parse(text) as { instances: Array<{ baseId: number }> }).instances.map((one) => one.baseId);
}

/** Other tests run Envoys concurrently: only segments and claims of these base ids. */
function sharedMemoryOf(baseIds: readonly number[]): string[] {
  const mine = new Set(baseIds.flatMap((id) => [`envoy_shared_memory_${id * 10}`, `flotilla_base_id_${id}`]));
  return readdirSync('/dev/shm').filter((name) => mine.has(name));
}

/** Files, sockets and processes of this agent. */
function listEverything({ base, dirs }: TestHost): unknown {
  const files = readdirSync(base, { recursive: true, encoding: 'utf8' }).sort();
  // Copies of programs belong to the host; the list of users is kept so that no number is reused
  const mine = files.filter((file) => !file.startsWith('data/programs') && file !== 'data/users.json');
  const marked = readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dirname(dirs.dataDir));
    } catch {
      return false;
    }
  });
  const sockets = readFileSync('/proc/net/unix', 'utf8')
    .split('\n')
    .filter((line) => line.includes(dirs.runtimeDir));
  return { mine, marked, sockets };
}
