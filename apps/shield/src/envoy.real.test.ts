import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureTestEnvoy, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { FilterProcess } from './testing/filter-process.ts';
import { GuardedEnvoy } from './testing/guarded-envoy.ts';

const POLICY = `apiVersion: flotilla.dev/v1
kind: SecurityPolicy
metadata: { name: demo }
spec:
  domains:
    - hosts: [api.example.com]
      routes:
        - match: { path_prefix: /admin }
          policy: { engines: { api_key: { keys: [{ key: the-key }] } } }
        - match: { path_prefix: /limited }
          policy: { engines: { rate_limit: { requests_per_second: 0.01, burst: 2 } } }
        - match: { path_prefix: /watched }
          policy: { mode: detect, engines: { api_key: { keys: [{ key: the-key }] } } }
`;
const KEY = { 'x-api-key': 'the-key' };

const eventually = (check: () => void | Promise<void>) => vi.waitFor(check, { interval: 25 });

describe.each(TIER_ENVOY_VERSIONS)('behind Envoy %s,', (version) => {
  let folder: string;
  let policyFile: string;
  let filter: FilterProcess;
  let envoy: GuardedEnvoy;

  async function replacePolicy(text: string): Promise<void> {
    await writeFile(`${policyFile}.tmp`, text);
    await rename(`${policyFile}.tmp`, policyFile);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'shield-envoy-'));
    policyFile = join(folder, 'policy.yaml');
    await writeFile(policyFile, POLICY);
    const socket = join(folder, 's.sock');
    filter = new FilterProcess(['--policy', policyFile, '--listen', `unix:${socket}`], join(folder, 'a.sock'));
    await filter.start();
    envoy = new GuardedEnvoy(folder, socket);
    await envoy.start((await ensureTestEnvoy(version)).path);
  });

  afterAll(async () => {
    await envoy?.close();
    await filter?.end();
    await rm(folder, { recursive: true, force: true });
  });

  it('a request with the key passes and one without is blocked, with the reason in the access log', async () => {
    expect(await envoy.ask('/admin', { headers: KEY })).toMatchObject({ status: 200, text: 'served\n' });
    const blocked = await envoy.ask('/admin/secret');
    expect(blocked).toMatchObject({ status: 403, text: 'Request blocked.\n' });
    expect(blocked.headers['x-svc-shield']).toBe('blocked');
    expect((await envoy.ask('/admin', { headers: { 'x-api-key': 'other' } })).status).toBe(403);
    await eventually(async () => {
      const log = await envoy.accessLog();
      expect(log).toContain('403 apikey.missing /admin/secret');
      expect(log).toContain('403 apikey.unknown /admin');
    });
    expect((await envoy.ask('/open')).status).toBe(200);
    expect((await envoy.ask('/admin', { host: 'other.example.com' })).status).toBe(200);
  });

  it('limits use the address of the peer, whatever the client claims', async () => {
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) {
      const headers = { 'x-forwarded-for': `203.0.113.${n}`, 'x-real-ip': `203.0.113.${n}` };
      statuses.push((await envoy.ask('/limited', { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 429, 429]);
    const limited = await envoy.ask('/limited', { headers: { 'x-forwarded-for': ['203.0.113.8', '203.0.113.9'] } });
    expect(limited).toMatchObject({ status: 429, text: 'Too many requests.\n' });
    expect(limited.headers['x-svc-shield']).toBe('blocked');
    const retryAfter = Number(limited.headers['retry-after']);
    expect(retryAfter).toBeGreaterThan(90);
    expect(retryAfter).toBeLessThanOrEqual(100);
    await eventually(async () => expect(await envoy.accessLog()).toContain('429 ratelimit.exceeded /limited'));
  });

  it('limits use the peer that Envoy reports if there is no X-Forwarded-For', async () => {
    const ask = async (localAddress: string) => (await envoy.askRaw('/limited', { localAddress })).status;
    const statuses: number[] = [];
    for (const peer of ['127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.3']) statuses.push(await ask(peer));
    expect(statuses).toEqual([200, 200, 429, 200]);
  });

  it('mode detect counts and allows', async () => {
    const before = await filter.counter('detections_total', 'apikey.missing');
    expect((await envoy.ask('/watched')).status).toBe(200);
    expect(await filter.counter('detections_total', 'apikey.missing')).toBe(before + 1);
  });

  it('counts by policy, engine and reason are available to the agent', async () => {
    const read = async () => {
      const { counters } = JSON.parse((await filter.admin('/countersz')).text) as {
        counters: Array<{ policy: string; engine: string; reason: string; verdict: string; total: number }>;
      };
      const find = (engine: string, reason: string, verdict: string) =>
        counters.find((one) => one.engine === engine && one.reason === reason && one.verdict === verdict)?.total ?? 0;
      expect(counters.every(({ policy }) => policy === 'demo')).toBe(true);
      return {
        allowed: find('', '', 'allowed'),
        missing: find('api_key', 'apikey.missing', 'blocked'),
        unknown: find('api_key', 'apikey.unknown', 'blocked'),
        detected: find('api_key', 'apikey.missing', 'detected'),
      };
    };
    const before = await read();
    for (let n = 0; n < 3; n++) await envoy.ask('/admin', { headers: KEY });
    for (let n = 0; n < 2; n++) await envoy.ask('/admin');
    await envoy.ask('/admin', { headers: { 'x-api-key': 'other' } });
    await envoy.ask('/watched');
    await envoy.ask('/admin', { host: 'other.example.com' });
    expect(await read()).toEqual({
      allowed: before.allowed + 4,
      missing: before.missing + 2,
      unknown: before.unknown + 1,
      detected: before.detected + 1,
    });
  });

  it.each([
    '//admin',
    '///admin/x',
    '/./admin',
    '/x/../admin',
    '/%61dmin',
    '/%2e/admin',
    '/x/%2e%2e/admin',
    '/%2Fadmin',
    '/%2fadmin',
    '/x%2f..%2fadmin',
    '/\\admin',
    '/x\\..\\admin',
    '/x%5c..%5cadmin',
    '/x/..;/admin',
    '/admin;v=1',
    '/%2561dmin',
    '/%252e%252e/admin',
    '/admin%',
    '/admin?x=1',
    '/admin/../admin',
    '/x/../../admin',
    '/.//admin',
    'http://api.example.com/admin',
    'http://api.example.com//admin',
  ])('%s is protected, both normalized by Envoy and unchanged', async (target) => {
    const servedBefore = envoy.served.length;
    for (const answer of [await envoy.ask(target), await envoy.askRaw(target)]) {
      expect([400, 403]).toContain(answer.status);
    }
    expect(envoy.served.length).toBe(servedBefore);
    expect((await envoy.askRaw(target, { headers: KEY })).status).not.toBe(403);
  });

  it.each(['API.EXAMPLE.COM', 'api.example.com:8443', 'api.example.com.', 'Api.Example.com.:80', 'x@api.example.com'])(
    'the host spelled %s is protected',
    async (host) => expect([400, 403]).toContain((await envoy.askRaw('/admin', { host })).status),
  );

  it('policies apply by authority, over HTTP/2 too, and the upstream sees no other host', async () => {
    const admin = { ':path': '/admin', ':authority': 'api.example.com' };
    expect(await envoy.askHttp2(admin)).toBe(403);
    expect(await envoy.askHttp2({ ...admin, host: 'other.example.com' })).toBe(403);
    expect(await envoy.askHttp2({ ...admin, 'X-API-KEY': 'the-key' })).toBe(200);
    expect(await envoy.askHttp2({ ...admin, 'x-api-key': ['the-key', 'other'] })).toBe(403);
    expect(await envoy.askHttp2({ ...admin, ':authority': 'other.example.com', host: 'api.example.com' })).toBe(200);
    expect(envoy.served.at(-1)).toBe('other.example.com /admin');
  });

  it('a key that is sent twice is accepted only if both agree', async () => {
    const ask = async (keys: string[]) => (await envoy.ask('/admin', { headers: { 'x-api-key': keys } })).status;
    expect([
      await ask(['the-key', 'the-key']),
      await ask(['the-key', 'x']),
      await ask(['x', 'the-key']),
      await ask(['', 'the-key']),
    ]).toEqual([200, 403, 403, 403]);
  });

  it('a new policy takes effect, stays when the next is bad, and every request is answered in between', async () => {
    const first = (await filter.configz()).version;
    const failures: number[] = [];
    let running = true;
    const load = (async () => {
      while (running) {
        const [open, guarded] = await Promise.all([envoy.ask('/open'), envoy.ask('/admin')]);
        if (open.status !== 200) failures.push(open.status);
        if (guarded.status !== 403) failures.push(guarded.status);
      }
    })();
    for (let n = 0; n < 10; n++) {
      await replacePolicy(POLICY.replace('the-key', `key-${n}`));
      await eventually(async () =>
        expect((await envoy.ask('/admin', { headers: { 'x-api-key': `key-${n}` } })).status).toBe(200),
      );
    }
    expect((await envoy.ask('/admin', { headers: KEY })).status).toBe(403);
    const good = (await filter.configz()).version;
    expect(good).not.toBe(first);
    await replacePolicy(POLICY.replace('requests_per_second: 0.01', 'requests_per_second: 0'));
    await eventually(async () => {
      const { version: live, last_error: error } = await filter.configz();
      expect(live).toBe(good);
      expect(error?.message).toContain(
        'policy.yaml:11:spec.domains[0].routes[1].policy.engines.rate_limit.requests_per_second: must be greater than 0',
      );
    });
    expect((await envoy.ask('/admin', { headers: { 'x-api-key': 'key-9' } })).status).toBe(200);
    await replacePolicy(POLICY);
    await eventually(async () => expect((await filter.configz()).version).toBe(first));
    running = false;
    await load;
    expect(failures).toEqual([]);
    // The limiter's block never changed, so twelve reloads gave nobody a new burst.
    expect((await envoy.ask('/limited')).status).toBe(429);
  });

  it('an allowed request completes even if the filter dies meanwhile', async () => {
    const running = [envoy.ask('/admin/slow', { headers: KEY }), envoy.ask('/slow', { method: 'POST' })];
    await eventually(() => expect(envoy.served.filter((line) => line.includes('slow')).length).toBe(2));
    await filter.end('SIGKILL');
    const answers = (await Promise.all(running)).map(({ status, text }) => [status, text]);
    expect(answers).toEqual([
      [200, 'first\nlast\n'],
      [200, 'first\nlast\n'],
    ]);
    await filter.start();
    await eventually(async () => expect((await envoy.ask('/admin', { headers: KEY })).status).toBe(200));
  });

  it('protected requests fail while the filter is dead, and work again after a restart over the stale socket', async () => {
    await filter.end('SIGKILL');
    const servedBefore = envoy.served.length;
    for (let n = 0; n < 20; n++)
      expect((await envoy.ask('/admin', n % 2 ? { headers: KEY } : {})).status).toBeGreaterThanOrEqual(500);
    expect(envoy.served.length).toBe(servedBefore);
    await filter.start();
    await eventually(async () => expect((await envoy.ask('/admin', { headers: KEY })).status).toBe(200));
    expect((await envoy.ask('/admin')).status).toBe(403);
  });

  it('the filter ends by itself on SIGTERM', async () => {
    expect(await filter.end('SIGTERM')).toBe(0);
    expect(filter.output).toContain('"event":"draining"');
  });
});
