import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestEnvoy, GuardedLoad, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { FilterProcess } from '../testing/filter-process.ts';
import { GuardedEnvoy } from '../testing/guarded-envoy.ts';

const KEYS = 'engines: { api_key: { keys: [{ key: the-key }] } }';
const LIMIT = 'engines: { rate_limit: { requests_per_second: 0.001, burst: 5 } }';

let folder: string;
let envoy: GuardedEnvoy;
let filters: Map<string, FilterProcess>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pair-'));
  filters = new Map();
  envoy = new GuardedEnvoy(folder, join(folder, 'shield.sock'));
});
afterEach(async () => {
  await envoy.close();
  for (const filter of filters.values()) await filter.end('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

async function setPolicy(policy: string, version = 1): Promise<void> {
  const lines = [
    'apiVersion: flotilla.dev/v1',
    'kind: SecurityPolicy',
    `metadata: { name: p${version} }`,
    'spec:',
    '  domains:',
    '    - hosts: ["*"]',
    '      routes:',
    `        - { match: { path_prefix: / }, policy: { ${policy} } }`,
    '',
  ];
  await writeFile(join(folder, 'p.tmp'), lines.join('\n'));
  await rename(join(folder, 'p.tmp'), join(folder, 'p.yaml'));
}

async function start(name: string, threads = 1): Promise<FilterProcess> {
  const argv = ['--policy', join(folder, 'p.yaml'), '--listen', `unix:${join(folder, 'shield.sock')}`];
  const more = ['--pair', name, '--state', join(folder, 'limits'), '--threads', String(threads)];
  const filter = new FilterProcess([...argv, ...more], join(folder, 'admin.sock'), join(folder, `${name}.admin`));
  filters.set(name, filter);
  await filter.start();
  return filter;
}

/** Identifies a filter by its admin socket. */
const filterOf = (socket: string) => new FilterProcess([], join(folder, socket));

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s (fault: filter kill -9),', (version) => {
  const startEnvoy = async () => envoy.start((await ensureTestEnvoy(version)).path);

  it('a pair loses only requests in flight when the serving filter is killed, repeatedly', async () => {
    await setPolicy(KEYS);
    let serving = await start('a');
    await startEnvoy();
    const load = new GuardedLoad(envoy);
    load.start();
    for (const next of ['b', 'c', 'd']) {
      const standby = await start(next);
      await load.sendMore(100);
      const killed = serving;
      await load.whileKilling(() => killed.end('SIGKILL'));
      await load.sendMore(300);
      serving = standby;
    }
    const { passed, failedLater, statuses } = await load.end();
    expect(passed).toBe(0);
    expect(failedLater).toEqual([]);
    expect(statuses.get('200')).toBeGreaterThan(500);
    // Failed connections were retried until a filter listened.
    const failures = (await envoy.accessLog()).split('\n').filter((line) => line.startsWith('500'));
    expect(failures.filter((line) => !line.includes('connection_termination'))).toEqual([]);
  });

  it('a pair loses nothing when the standby is killed, or when the serving filter is replaced', async () => {
    await setPolicy(KEYS);
    const first = await start('a');
    await startEnvoy();
    const load = new GuardedLoad(envoy);
    load.start();
    const standby = await start('b');
    await load.sendMore(100);
    await standby.end('SIGKILL');
    await load.sendMore(100);
    await start('c', 2);
    expect(await first.end('SIGTERM')).toBe(0);
    await load.sendMore(100);
    const { passed, statuses } = await load.end();
    expect(passed).toBe(0);
    expect([...statuses.keys()].sort()).toEqual(['200', '403']);
  });

  it('a pair lets nothing pass when both are killed, and serves again with the next one', async () => {
    await setPolicy(KEYS);
    const [a, b] = [await start('a'), await start('b')];
    await startEnvoy();
    await Promise.all([b.end('SIGKILL'), a.end('SIGKILL')]);
    const key = { 'x-api-key': 'the-key' };
    // 504 if Envoy notices only by its timeout that the filter is gone.
    expect([500, 504]).toContain((await envoy.ask('/x', { headers: key })).status);
    expect([500, 504]).toContain((await envoy.ask('/x')).status);
    await start('c');
    expect((await envoy.ask('/x', { headers: key })).status).toBe(200);
    expect((await envoy.ask('/x')).status).toBe(403);
  });
});

describe('the shared state of a pair of filters (fault: filter kill -9)', () => {
  const startEnvoy = async () => envoy.start((await ensureTestEnvoy()).path);
  const ask = async () => (await envoy.ask('/x')).status;

  it('keeps limits, exactly through a replacement, and up to the last save through a kill', async () => {
    await setPolicy(LIMIT);
    const a = await start('a');
    await startEnvoy();
    // One token of five was taken while waiting for Envoy.
    expect([await ask(), await ask()]).toEqual([200, 200]);
    const b = await start('b');
    await a.end('SIGTERM');
    expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429]);
    await start('c');
    const before = (await stat(join(folder, 'limits'))).mtimeMs;
    await vi.waitFor(async () => expect((await stat(join(folder, 'limits'))).mtimeMs).toBeGreaterThan(before + 1000), {
      timeout: 90_000,
    });
    await b.end('SIGKILL');
    expect(await ask()).toBe(429);
  });

  it('changes the policy in both, so that the next one serves by the new policy', async () => {
    await setPolicy(KEYS);
    const a = await start('a');
    const b = await start('b');
    await startEnvoy();
    expect(await ask()).toBe(403);
    const { version } = await a.configz();
    await setPolicy('engines: {}', 2);
    for (const filter of [filterOf('admin.sock'), b])
      await vi.waitFor(async () => expect((await filter.configz()).version).not.toBe(version));
    await a.end('SIGKILL');
    expect(await ask()).toBe(200);
  });

  it('allows a second standby, which ends normally without having served', async () => {
    await setPolicy(KEYS);
    const a = await start('a');
    const [b, c] = [await start('b'), await start('c')];
    expect((await filterOf('b.admin').configz()).duty).toBe('standby');
    expect(await b.end('SIGTERM')).toBe(0);
    await a.end('SIGKILL');
    await vi.waitFor(async () => expect((await filterOf('admin.sock').configz()).duty).toBe('serving'));
    expect(await c.end('SIGTERM')).toBe(0);
  });
});
