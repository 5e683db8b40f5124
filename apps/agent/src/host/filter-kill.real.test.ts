import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSameProcess, readProcess } from '@flotilla/kit';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout } from '@flotilla/proto';
import { GuardedLoad } from '@flotilla/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  bundleFilter,
  filterPid,
  guardedBootstrap,
  policyFor,
  shieldOf,
  standbyPid,
} from '../testing/guarded-service.ts';
import { createTestHost, desiredOf, ensureTestEnvoy, eventually, type TestHost } from '../testing/test-host.ts';
import type { ServiceHost, ServiceHostOptions } from './types.ts';

const KEYS = '{ engines: { api_key: { keys: [{ key: the-key }] } } }';
/** The same policy with another digest. */
const MORE_KEYS = '{ engines: { api_key: { keys: [{ key: the-key }, { key: another-key }] } } }';

let programs: string;
let command: readonly string[];
let fixture: TestHost;
let port: number;
let load: GuardedLoad;

beforeAll(async () => {
  await ensureTestEnvoy();
  programs = await mkdtemp(join(tmpdir(), 'fk-'));
  command = await bundleFilter(programs);
});
afterAll(() => rm(programs, { recursive: true, force: true }));

beforeEach(async () => {
  fixture = await createTestHost();
  port = await findFreePort();
  load = new GuardedLoad({ ask: (path, { headers }) => fetch(`http://127.0.0.1:${port}${path}`, { headers }) });
});
afterEach(async () => {
  await load.end();
  await fixture.destroy();
});

const desired = (policy: string, generation: bigint) =>
  desiredOf({
    port,
    shield: shieldOf(policyFor('*', policy)),
    bootstrap: guardedBootstrap(command, port, deriveServiceLayout(fixture.dirs, 'svc').shieldSocket),
    generation,
  });

/** A protected service under load, with a standby filter. */
async function open(options: Partial<ServiceHostOptions> = {}): Promise<ServiceHost> {
  const host = fixture.open({ flotillaCommand: command, ...options });
  host.setDesired(desired(KEYS, 1n));
  expect(await host.settled('svc', 1n)).toMatchObject({ error: '', policyError: '' });
  if (options.hasWarmFilter !== false) await standingBy();
  load.start();
  await load.sendMore(50);
  return host;
}

function shieldLog(): Promise<string> {
  const log = join(deriveServiceLayout(fixture.dirs, 'svc').logDir, 'shield.log');
  return readFile(log, 'utf8').catch(() => '');
}

/** Restores the filter's record to that of an agent without pairs. */
async function forgetPair(): Promise<void> {
  const file = join(deriveServiceLayout(fixture.dirs, 'svc').dataDir, 'state.json');
  const state = await eventually(async () => {
    const found = JSON.parse(await readFile(file, 'utf8')) as {
      appliedGeneration: string;
      shield: { isPaired?: boolean };
    };
    // The last value that the agent writes.
    return found.appliedGeneration === '1' ? found : undefined;
  });
  delete state.shield.isPaired;
  await writeFile(file, JSON.stringify(state));
}

/** Waits until filters of the service have reported standby this many times. */
async function standingBy(times = 1): Promise<void> {
  await eventually(async () => {
    const text = await shieldLog();
    return text.split('"event":"standing_by"').length > times || undefined;
  }, 120_000);
}

/** Resolves when the process and its sockets are gone: they stay open until the last thread has ended. */
async function kill(pid: number): Promise<void> {
  const found = readProcess(pid);
  if (found === undefined) throw new Error('it does not run');
  process.kill(pid, 'SIGKILL');
  await eventually(async () => (!isSameProcess(found) && (await countThreads(pid)) <= 1) || undefined);
}

/** The number of threads of a process; a zombie keeps its first one. */
async function countThreads(pid: number): Promise<number> {
  return (await readdir(`/proc/${pid}/task`).catch(() => [])).length;
}

describe('a filter under load (fault: filter kill -9)', { timeout: 240_000 }, () => {
  test('that is killed loses only the requests in flight, again and again, and nothing passes unguarded', async () => {
    const host = await open();
    for (const round of [2, 3, 4]) {
      const pid = await filterPid(host);
      await load.whileKilling(() => kill(pid));
      await load.sendMore(200);
      await standingBy(round);
    }
    const { passed, failedLater, statuses } = await load.end();
    expect([passed, failedLater]).toEqual([0, []]);
    expect(statuses.get('200')).toBeGreaterThan(300);
    expect(host.reports()[0]).toMatchObject({ shieldRunning: true, policyError: '' });
  });

  test('loses nothing when the one that stands by is killed', async () => {
    const host = await open();
    await kill((await standbyPid(host)) ?? 0);
    await load.sendMore(100);
    await standingBy(2);
    const { statuses } = await load.end();
    expect([...statuses.keys()].sort()).toEqual(['200', '403']);
  });

  test('that is killed with the one that stands by fails closed, and is back by itself', async () => {
    const host = await open();
    const pids = [await filterPid(host), (await standbyPid(host)) ?? 0];
    await load.whileKilling(async () => {
      await Promise.all(pids.map(kill));
      await eventually(async () => !pids.includes(await filterPid(host).catch(() => pids[0] ?? 0)) || undefined);
      await standingBy(2);
    });
    await load.sendMore(100);
    const { passed, failedLater } = await load.end();
    expect([passed, failedLater]).toEqual([0, []]);
  });

  test('that is killed right after a new policy was reported live serves on by that policy', async () => {
    const host = await open();
    const next = desired(MORE_KEYS, 2n);
    host.setDesired(next);
    const report = await host.settled('svc', 2n);
    expect(report.policyDigest).toBe(next.services[0]?.shield?.bundle?.digest);
    const pid = await filterPid(host);
    await load.whileKilling(() => kill(pid));
    const statusOf = async (key: string) =>
      (await fetch(`http://127.0.0.1:${port}/`, { headers: { 'x-api-key': key } })).status;
    expect([await statusOf('another-key'), await statusOf('wrong')]).toEqual([200, 403]);
    const { passed, failedLater } = await load.end();
    expect([passed, failedLater]).toEqual([0, []]);
  });

  test('whose program is replaced by a new one, and whose settings change, loses nothing', async () => {
    const first = await open();
    const pid = await filterPid(first);
    await first.close({ stopServices: false });
    const next = await mkdtemp(join(tmpdir(), 'fk-'));
    const host = fixture.open({ flotillaCommand: await bundleFilter(next) });
    host.setDesired(desired(KEYS, 1n));
    await eventually(async () => (await filterPid(host).catch(() => pid)) !== pid || undefined, 60_000);
    await load.sendMore(100);
    const { statuses } = await load.end();
    expect([...statuses.keys()].sort()).toEqual(['200', '403']);
    await fixture.destroy();
    await rm(next, { recursive: true, force: true });
  });

  test('of an earlier version, which cannot hand over, is replaced by one that can', async () => {
    const earlier = await mkdtemp(join(tmpdir(), 'fk-'));
    const [node = '', program = ''] = await bundleFilter(earlier);
    const alone = join(earlier, 'alone.mjs');
    // Ignores the name that lets a filter take turns.
    const skip = "const at = process.argv.indexOf('--pair');\nif (at > 0) process.argv.splice(at, 2);\n";
    await writeFile(alone, `${skip}await import(${JSON.stringify(program)});\n`);
    const first = fixture.open({ flotillaCommand: [node, alone], hasWarmFilter: false });
    first.setDesired(desired(KEYS, 1n));
    expect(await first.settled('svc', 1n)).toMatchObject({ error: '', policyError: '' });
    await first.close({ stopServices: false });
    await forgetPair();
    const host = fixture.open({ flotillaCommand: command });
    host.setDesired(desired(KEYS, 1n));
    await standingBy();
    const status = async (headers: Record<string, string>) =>
      (await fetch(`http://127.0.0.1:${port}/`, { headers })).status;
    await eventually(async () => (await status({ 'x-api-key': 'the-key' })) === 200 || undefined);
    expect(await status({})).toBe(403);
    expect(await host.settled('svc', 1n)).toMatchObject({ policyError: '', shieldRunning: true });
    await fixture.destroy();
    await rm(earlier, { recursive: true, force: true });
  });

  test('that systemd starts again after a kill stands by, and a new policy is live without a change of hands', async () => {
    await fixture.destroy();
    fixture = await createTestHost('systemd');
    const host = await open();
    const [killed, successor] = [await filterPid(host), await standbyPid(host)];
    await load.whileKilling(() => kill(killed));
    await standingBy(2);
    const next = desired(MORE_KEYS, 2n);
    host.setDesired(next);
    const report = await host.settled('svc', 2n);
    expect(report).toMatchObject({ policyError: '', policyDigest: next.services[0]?.shield?.bundle?.digest });
    expect(await filterPid(host)).toBe(successor);
    expect(await standbyPid(host)).not.toBe(killed);
    await load.sendMore(100);
    const { passed, failedLater } = await load.end();
    expect([passed, failedLater]).toEqual([0, []]);
    expect(await shieldLog()).not.toContain('"event":"handed_over"');
  });

  test('has nobody beside it where the agent keeps no filter warm, and is replaced without a loss all the same', async () => {
    const host = await open({ hasWarmFilter: false });
    expect(await standbyPid(host)).toBeUndefined();
    const pid = await filterPid(host);
    const changed = desired(KEYS, 2n);
    const [service] = changed.services;
    if (service?.shield) service.shield.xffTrustedHops = 1;
    host.setDesired(changed);
    expect(await host.settled('svc', 2n)).toMatchObject({ policyError: '', shieldRunning: true });
    expect(await filterPid(host)).not.toBe(pid);
    await load.sendMore(100);
    const { statuses } = await load.end();
    expect([...statuses.keys()].sort()).toEqual(['200', '403']);
  });
});
