import { chmod, mkdir, mkdtemp, readdir, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcess } from '@flotilla/kit';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout, fleet } from '@flotilla/proto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  bundleFilter,
  filterPid,
  guardedBootstrap,
  policyFor,
  shieldOf,
  standbyPid,
} from '../testing/guarded-service.ts';
import { createTestHost, desiredOf, ensureTestEnvoy, eventually, type TestHost } from '../testing/test-host.ts';

let fixture: TestHost;
let port: number;
let programDir: string;
let flotillaCommand: readonly string[];

beforeAll(async () => {
  await ensureTestEnvoy();
  programDir = await mkdtemp(join(tmpdir(), 'fp-'));
  flotillaCommand = await bundleFilter(programDir);
});

afterAll(async () => {
  await rm(programDir, { recursive: true, force: true });
});

beforeEach(async () => {
  fixture = await createTestHost();
  port = await findFreePort();
});

afterEach(async () => {
  await fixture.destroy();
});

test('a policy bundle is live once the filter itself says so', async () => {
  const host = fixture.open({ flotillaCommand });
  const shield = shieldOf(policyFor('a.example.com'));
  host.setDesired(desiredOf({ port, shield }));
  const report = await host.settled('svc', 1n);
  expect(report).toMatchObject({
    policyDigest: shield.bundle?.digest,
    policyError: '',
    shieldRunning: true,
    generation: 1n,
  });
  const layout = deriveServiceLayout(fixture.dirs, 'svc');
  expect((await stat(layout.shieldSocket)).mode & 0o777).toBe(0o660);
  const next = shieldOf(policyFor('b.example.com'));
  host.setDesired(desiredOf({ port, shield: next, generation: 2n }));
  expect(await host.settled('svc', 2n)).toMatchObject({ policyDigest: next.bundle?.digest, policyError: '' });
  expect(await readlink(layout.policyDir)).toBe(`policy-${next.bundle?.digest}`);
});

test('a bad bundle is refused with its place, and the running policy stays', async () => {
  const host = fixture.open({ flotillaCommand });
  const good = shieldOf(policyFor('a.example.com'));
  host.setDesired(desiredOf({ port, shield: good }));
  await host.settled('svc', 1n);
  const bad = shieldOf([{ path: 'p.yaml', text: `${policyFor('a.example.com')[0]?.text}surprise: 1\n` }]);
  host.setDesired(desiredOf({ port, shield: bad, generation: 2n }));
  const report = await host.settled('svc', 2n);
  expect(report.policyError).toMatch(/p\.yaml:\d+/);
  expect(report.policyError).not.toContain(fixture.dirs.dataDir);
  expect(report).toMatchObject({
    policyDigest: good.bundle?.digest,
    shieldRunning: true,
    phase: fleet.NodePhase.RUNNING,
  });
});

test('a check of the bundle that somebody kills says nothing about the bundle, and is repeated', async () => {
  const program = join(programDir, 'killed-once');
  const mark = join(fixture.dirs.dataDir, 'killed');
  await mkdir(mark, { recursive: true });
  await chmod(mark, 0o777);
  const killOnce = `[ "$2" = validate ] && mkdir ${mark}/once 2>/dev/null && kill -9 $$`;
  await writeFile(program, `#!/bin/sh\n${killOnce}\nexec ${flotillaCommand.join(' ')} "$@"\n`, { mode: 0o755 });
  const host = fixture.open({ flotillaCommand: [program] });
  const shield = shieldOf(policyFor('a.example.com'));
  host.setDesired(desiredOf({ port, shield }));
  await host.settled('svc', 1n);
  await eventually(() => host.reports()[0]?.shieldRunning);
  expect(host.reports()).toMatchObject([{ policyDigest: shield.bundle?.digest, policyError: '' }]);
  expect(await readdir(mark)).toEqual(['once']);
});

test('a service that is stopped and started at once has its filter again', async () => {
  const host = fixture.open({ flotillaCommand });
  const shield = shieldOf(policyFor('a.example.com'));
  for (let generation = 1n; generation < 10n; generation += 2n) {
    host.setDesired(desiredOf({ port, shield, generation }));
    expect(await host.settled('svc', generation)).toMatchObject({ policyError: '', shieldRunning: true });
    const runState = fleet.RunState.STOPPED;
    host.setDesired(desiredOf({ port, shield, generation: generation + 1n, runState }));
    expect(await host.settled('svc', generation + 1n)).toMatchObject({ shieldRunning: false });
  }
});

test.each([['../p.yaml'], ['/etc/p.yaml'], ['a/../../p.yaml']])(
  'a bundle with the path %s is refused',
  async (path) => {
    const host = fixture.open({ flotillaCommand });
    host.setDesired(desiredOf({ port, shield: shieldOf([{ path, text: 'x' }]) }));
    const report = await host.settled('svc', 1n);
    expect(report).toMatchObject({ policyDigest: '', shieldRunning: false, phase: fleet.NodePhase.RUNNING });
    expect(report.policyError).toContain('is not a relative path within the bundle');
  },
);

test('a bundle whose files are not those of its digest is refused', async () => {
  const host = fixture.open({ flotillaCommand });
  const shield = shieldOf(policyFor('a.example.com'));
  if (shield.bundle) shield.bundle.digest = '0'.repeat(64);
  host.setDesired(desiredOf({ port, shield }));
  expect((await host.settled('svc', 1n)).policyError).toContain('digest');
});

test('a filter that is killed is back by itself, also after the agent was restarted', async () => {
  const first = fixture.open({ flotillaCommand });
  const shield = shieldOf(policyFor('a.example.com'));
  first.setDesired(desiredOf({ port, shield }));
  await first.settled('svc', 1n);
  const pid = await filterPid(first);
  await first.close({ stopServices: false });
  const second = fixture.open({ flotillaCommand });
  expect(await second.settled('svc', 1n)).toMatchObject({ policyDigest: shield.bundle?.digest });
  expect(await filterPid(second)).toBe(pid);
  process.kill(pid, 'SIGKILL');
  await eventually(async () => (await filterPid(second).catch(() => pid)) !== pid || undefined);
  await eventually(async () => (await standbyPid(second)) !== undefined || undefined);
  expect(second.reports()[0]).toMatchObject({ shieldRunning: true, policyDigest: shield.bundle?.digest });
});

test('while its filter is down a guarded request gets an error, and none passes unchecked', async () => {
  const host = fixture.open({ flotillaCommand });
  const shield = shieldOf(policyFor('*', '{ engines: { api_key: { keys: [{ key: the-key }] } } }'));
  const bootstrap = guardedBootstrap(flotillaCommand, port, deriveServiceLayout(fixture.dirs, 'svc').shieldSocket);
  host.setDesired(desiredOf({ port, shield, bootstrap }));
  expect(await host.settled('svc', 1n)).toMatchObject({ error: '', policyError: '' });
  const statusOf = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/`, { headers })).status;
  const key = { 'x-api-key': 'the-key' };
  expect(await Promise.all([statusOf({}), statusOf(key)])).toEqual([403, 200]);
  const pid = await filterPid(host);
  process.kill(pid, 'SIGKILL');
  const seen = new Set<number>();
  await eventually(async () => {
    seen.add(await statusOf({}));
    return (await statusOf(key)) === 200 && (await filterPid(host).catch(() => pid)) !== pid ? true : undefined;
  });
  expect(seen).not.toContain(200);
});

test('what a filter counted is read from it, and once more from one that is ended for its successor', async () => {
  const host = fixture.open({ flotillaCommand });
  const shield = shieldOf(policyFor('*', '{ engines: { api_key: { keys: [{ key: the-key }] } } }'));
  const bootstrap = guardedBootstrap(flotillaCommand, port, deriveServiceLayout(fixture.dirs, 'svc').shieldSocket);
  host.setDesired(desiredOf({ port, shield, bootstrap }));
  await host.settled('svc', 1n);
  const ask = (headers: Record<string, string>) => fetch(`http://127.0.0.1:${port}/`, { headers });
  const read = async () =>
    (await host.shieldCounters()).map(({ epoch, counters }) => ({
      epoch,
      totals: counters.map(({ policy, reason, total }) => `${policy} ${reason} ${total}`),
    }));
  const requests: Array<Record<string, string>> = [{}, {}, { 'x-api-key': 'the-key' }];
  for (const headers of requests) await ask(headers);
  const [first] = await read();
  expect(first?.totals).toEqual(['p  1', 'p apikey.missing 2']);
  await ask({});
  host.setDesired(desiredOf({ port, shield: { ...shield, xffTrustedHops: 1 }, bootstrap, generation: 2n }));
  await host.settled('svc', 2n);
  const [ended, second] = await read();
  expect(ended).toEqual({ epoch: first?.epoch, totals: ['p  1', 'p apikey.missing 3'] });
  expect(second?.totals).toEqual([]);
  expect(second?.epoch).not.toBe(first?.epoch);
  expect(await read()).toEqual([second]);
});

test('what a filter found and how it is are read from it; what it found last is read before it is ended', async () => {
  const host = fixture.open({ flotillaCommand });
  const shield = shieldOf(policyFor('*', '{ engines: { api_key: { keys: [{ key: the-key }] } } }'));
  const bootstrap = guardedBootstrap(flotillaCommand, port, deriveServiceLayout(fixture.dirs, 'svc').shieldSocket);
  host.setDesired(desiredOf({ port, shield, bootstrap }));
  await host.settled('svc', 1n);
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`);
  const read = async () =>
    (await host.shieldEvents(() => false)).map(({ epoch, events }) => ({
      epoch,
      found: events.map(({ seq, path, reason }) => `${seq} ${path} ${reason}`),
    }));
  await ask('/one?secret=1');
  await ask('/two');
  const [first] = await read();
  expect(first?.found).toEqual(['1 /one apikey.missing', '2 /two apikey.missing']);
  expect(await read()).toEqual([]);
  await host.checkFilters();
  expect(host.reports()[0]?.shieldHealth).toMatchObject({ problems: [] });
  await ask('/three');
  expect(await host.shieldEvents(() => true)).toEqual([]);
  host.setDesired(desiredOf({ port, shield: { ...shield, xffTrustedHops: 1 }, bootstrap, generation: 2n }));
  await host.settled('svc', 2n);
  await ask('/four');
  const [ended, second] = await read();
  expect(ended).toEqual({ epoch: first?.epoch, found: ['3 /three apikey.missing'] });
  expect(second?.found).toEqual(['1 /four apikey.missing']);
  expect(second?.epoch).not.toBe(first?.epoch);
});

test('a filter with three threads has three sockets, and its limits continue when it is started again with one', async () => {
  const host = fixture.open({ flotillaCommand });
  const limit = '{ engines: { rate_limit: { requests_per_second: 0.001, burst: 2 } } }';
  const shield = shieldOf(policyFor('*', limit));
  const layout = deriveServiceLayout(fixture.dirs, 'svc');
  const bootstrap = guardedBootstrap(flotillaCommand, port, layout.shieldSocket);
  const sockets = async () => (await readdir(layout.socketDir)).filter((name) => name.startsWith('shield.sock')).sort();
  host.setDesired(desiredOf({ port, shield: { ...shield, threads: 3 }, bootstrap }));
  expect(await host.settled('svc', 1n)).toMatchObject({ error: '', policyError: '' });
  expect(await sockets()).toEqual(['shield.sock', 'shield.sock.1', 'shield.sock.2']);
  const ask = async () => (await fetch(`http://127.0.0.1:${port}/`)).status;
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
  const pid = await filterPid(host);
  host.setDesired(desiredOf({ port, shield: { ...shield, threads: 1 }, bootstrap, generation: 2n }));
  await host.settled('svc', 2n);
  expect(await filterPid(host)).not.toBe(pid);
  expect(await sockets()).toEqual(['shield.sock']);
  const answered = async () => {
    const status = await ask();
    return status < 500 ? status : undefined;
  };
  expect(await eventually(answered)).toBe(429);
});

test('an undeployed service takes its filter and policies along', async () => {
  const host = fixture.open({ flotillaCommand });
  host.setDesired(desiredOf({ port, shield: shieldOf(policyFor('a.example.com')) }));
  await host.settled('svc', 1n);
  const pid = await filterPid(host);
  host.setDesired(desiredOf());
  await host.settled('svc', 1n);
  expect(readProcess(pid)).toBeUndefined();
  await expect(stat(deriveServiceLayout(fixture.dirs, 'svc').dataDir)).rejects.toThrow('ENOENT');
});

test('a filter that its Envoy would go on without says so, whichever Envoy is in charge', async () => {
  const host = fixture.open({ flotillaCommand });
  const shield = shieldOf(policyFor('*'));
  const { shieldSocket } = deriveServiceLayout(fixture.dirs, 'svc');
  const health = async () => {
    await host.checkFilters();
    return host.reports()[0]?.shieldHealth;
  };
  const wired = (change: object) => guardedBootstrap(flotillaCommand, port, shieldSocket, change);
  host.setDesired(desiredOf({ port, shield, bootstrap: wired({ failure_mode_allow: true }) }));
  await host.settled('svc', 1n);
  const failing = await eventually(async () => {
    const found = await health();
    return found?.selfTest === fleet.SelfTest.FAILING ? found : undefined;
  });
  expect(failing.problems).toEqual([expect.stringContaining('failure_mode_allow')]);
  host.setDesired(desiredOf({ port, shield, bootstrap: wired({}), generation: 2n }));
  await host.settled('svc', 2n);
  await eventually(async () => (await health())?.selfTest === fleet.SelfTest.OK || undefined);
});
