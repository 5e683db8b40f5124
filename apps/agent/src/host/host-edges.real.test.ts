import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, createServer } from 'node:net';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout, fleet } from '@flotilla/proto';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { haPlaces } from '../ha/places.ts';
import { pairedState } from '../testing/ha-stage.ts';
import {
  ask,
  bootstrapOf,
  createTestHost,
  desiredOf,
  ensureTestEnvoy,
  eventually,
  type TestHost,
} from '../testing/test-host.ts';
import type { PreparedService } from './types.ts';

let fixture: TestHost;
let port: number;
const isRoot = process.getuid?.() === 0;

beforeAll(async () => {
  await ensureTestEnvoy();
});

beforeEach(async () => {
  fixture = await createTestHost();
  port = await findFreePort();
});

afterEach(async () => {
  await fixture.destroy();
});

test('several services live side by side and leave one by one', async () => {
  const ports = await Promise.all([findFreePort(), findFreePort(), findFreePort(), findFreePort(), findFreePort()]);
  const services = ports.map((one, n) => ({ serviceId: `svc-${n}`, port: one, body: `body ${n}` }));
  const host = fixture.open();
  host.setDesired(desiredOf(...services));
  await Promise.all(services.map(({ serviceId }) => host.settled(serviceId, 1n)));
  expect(await Promise.all(ports.map(ask))).toEqual(services.map(({ body }) => body));
  host.setDesired(desiredOf(...services.slice(1)));
  expect((await host.settled('svc-0', 1n)).removed).toBe(true);
  expect(await Promise.all(ports.map(ask))).toEqual([undefined, ...services.slice(1).map(({ body }) => body)]);
});

test('a host that leaves its pair keeps its services, also after a restart', async () => {
  const { ha } = pairedState(1n);
  const host = fixture.open({ flotillaCommand: ['/bin/sleep', '60'] });
  host.setDesired({ ...desiredOf({ port }), ha });
  await host.settled('svc', 1n);
  const { configFile } = haPlaces(fixture.dirs.dataDir);
  await eventually(() => existsSync(configFile));
  host.leavePair();
  await eventually(() => !existsSync(configFile));
  await host.close({ stopServices: false });
  const again = fixture.open({ flotillaCommand: ['/bin/sleep', '60'] });
  await again.settled('svc', 1n);
  expect(existsSync(configFile)).toBe(false);
  expect(await ask(port)).toBe('one');
});

test('of many states in a hurry the last one counts', async () => {
  const host = fixture.open();
  for (let n = 1n; n <= 20n; n += 1n) host.setDesired(desiredOf({ port, generation: n, body: `body ${n}` }));
  const report = await host.settled('svc', 20n);
  expect(report).toMatchObject({ error: '', generation: 20n });
  expect(await ask(port)).toBe('body 20');
  expect((await host.control('svc', 'status')).units?.filter(({ role }) => role !== 'draining')).toHaveLength(1);
});

test('a service that is removed during its deployment leaves nothing', async () => {
  const host = fixture.open();
  for (const ms of [0, 10, 60, 150]) {
    host.setDesired(desiredOf({ port }));
    await new Promise((resolve) => setTimeout(resolve, ms));
    host.setDesired(desiredOf());
    expect((await host.settled('svc', 1n)).removed).toBe(true);
    expect(await ask(port)).toBeUndefined();
    expect(() => statSync(deriveServiceLayout(fixture.dirs, 'svc').dataDir)).toThrow('ENOENT');
  }
});

test('a stopped service runs nothing and keeps its folder; it starts again', async () => {
  const host = fixture.open();
  host.setDesired(desiredOf({ port }));
  await host.settled('svc', 1n);
  host.setDesired(desiredOf({ port, generation: 2n, runState: fleet.RunState.STOPPED }));
  expect(await host.settled('svc', 2n)).toMatchObject({ phase: fleet.NodePhase.STOPPED, generation: 2n, envoyPid: 0 });
  expect(await ask(port)).toBeUndefined();
  await host.close({ stopServices: false });
  const next = fixture.open();
  expect(await next.settled('svc', 2n)).toMatchObject({ phase: fleet.NodePhase.STOPPED });
  next.setDesired(desiredOf({ port, generation: 3n }));
  expect(await next.settled('svc', 3n)).toMatchObject({ phase: fleet.NodePhase.RUNNING });
  expect(await ask(port)).toBe('one');
});

test('an Envoy that waits for its configuration is reported as preparing, and as running once it has it', async () => {
  const host = fixture.open({ liveTimeoutMs: 500 });
  const bootstrap = bootstrapOf(port) as { dynamic_resources?: unknown; static_resources: { clusters?: unknown } };
  const path = deriveServiceLayout(fixture.dirs, 'svc').xdsSocket;
  bootstrap.static_resources.clusters = [waitingCluster(path)];
  bootstrap.dynamic_resources = {
    lds_config: { ads: {}, resource_api_version: 'V3', initial_fetch_timeout: '3s' },
    ads_config: {
      api_type: 'DELTA_GRPC',
      transport_api_version: 'V3',
      grpc_services: [{ envoy_grpc: { cluster_name: 'xds' } }],
    },
  };
  host.setDesired(desiredOf({ port, bootstrap }));
  const report = await host.settled('svc', 1n);
  expect(report.phase).toBe(fleet.NodePhase.PREPARING);
  expect(report.error).toContain('INITIALIZING');
  await eventually(() => (host.reports()[0]?.phase === fleet.NodePhase.RUNNING ? true : undefined));
  expect(host.reports()[0]).toMatchObject({ error: '', restarts: 0 });
});

test('the relay is called before an Envoy starts, and when its service is removed', async () => {
  const host = fixture.open();
  const prepared: PreparedService[] = [];
  const removed: PreparedService[] = [];
  let isReady = false;
  host.onServicePrepared(async (service) => {
    prepared.push(service);
    if (!isReady) throw new Error('not yet');
  });
  host.onServiceRemoved(async (service) => void removed.push(service));
  host.setDesired(desiredOf({ port }));
  const early = await host.settled('svc', 1n);
  expect(early).toMatchObject({ phase: fleet.NodePhase.FAILED, error: 'not yet' });
  expect(host.adminSocket('svc')).toBeUndefined();
  isReady = true;
  await eventually(() => (host.reports()[0]?.phase === fleet.NodePhase.RUNNING ? true : undefined));
  expect(prepared.at(-1)).toMatchObject({ serviceId: 'svc', nodeId: 'svc::p::c' });
  expect(host.adminSocket('svc')).toBeDefined();
  host.setDesired(desiredOf());
  await host.settled('svc', 1n);
  expect(removed).toHaveLength(1);
});

test('the admin port follows the Envoy in charge and takes only what is safe', async () => {
  const adminPort = await findFreePort();
  const host = fixture.open();
  host.setDesired(desiredOf({ port, adminPort }));
  const { envoyPid } = await host.settled('svc', 1n);
  expect(await admin(adminPort, 'GET', '/ready')).toEqual({ status: 200, body: 'LIVE\n' });
  expect((await admin(adminPort, 'POST', '/logging?level=info')).status).toBe(200);
  expect((await admin(adminPort, 'POST', '/quitquitquit')).status).toBe(403);
  host.setDesired(desiredOf({ port, adminPort, generation: 2n, body: 'two' }));
  expect((await host.settled('svc', 2n)).envoyPid).not.toBe(envoyPid);
  expect((await admin(adminPort, 'GET', '/config_dump')).body).toContain('two');
  if (!isRoot) return;
  // A program of another service must not have access: the same request by such a user
  const uid = '1900000001';
  const script = `require('net').connect(${adminPort},'127.0.0.1').on('close',()=>process.exit(7)).on('data',()=>process.exit(0)).on('error',()=>{}).write('GET /ready HTTP/1.1\\r\\nhost: localhost\\r\\n\\r\\n')`;
  const args = [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', process.execPath, '-e', script];
  const code = await new Promise((resolve) => spawn('setpriv', args).once('exit', resolve));
  expect(code).toBe(7);
});

test('a service of an agent that is root may bind a low port', async () => {
  if (!isRoot) return;
  const low = await lowPort();
  const host = fixture.open();
  host.setDesired(desiredOf({ port: low }));
  const report = await host.settled('svc', 1n);
  expect(report.error).toBe('');
  expect(await ask(low)).toBe('one');
  const status = readFileSync(`/proc/${report.envoyPid}/status`, 'utf8');
  expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0');
  expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toBe('0000000000000400');
  expect(/^NoNewPrivs:\s+(\d)/m.exec(status)?.[1]).toBe('1');
  host.setDesired(desiredOf({ port: low, generation: 2n, body: 'two' }));
  expect((await host.settled('svc', 2n)).error).toBe('');
  expect(await ask(low)).toBe('two');
});

test('a service writes where it may and nowhere else', async () => {
  if (!isRoot) return;
  const host = fixture.open();
  host.setDesired(desiredOf({ port }));
  await host.settled('svc', 1n);
  const layout = deriveServiceLayout(fixture.dirs, 'svc');
  const { uid } = statSync(layout.filesDir);
  const as = (...command: string[]) =>
    execFileSync('setpriv', [`--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', ...command], { stdio: 'pipe' });
  expect(() => as('touch', `${layout.filesDir}/mine.log`)).not.toThrow();
  expect(() => as('cat', layout.bootstrapFile)).not.toThrow();
  for (const path of [`${layout.dataDir}/state.json`, `${fixture.dirs.dataDir}/desired.bin`]) {
    expect(() => as('cat', path)).toThrow();
  }
  for (const path of [layout.bootstrapFile, `${layout.dataDir}/x`, `${layout.logDir}/envoy.log`]) {
    expect(() => as('sh', '-c', `echo x >> ${path}`)).toThrow();
  }
});

test('a service whose folder cannot be made is reported as failed, and comes up when it can', async () => {
  const host = fixture.open();
  host.setDesired(desiredOf());
  await host.settled('none', 0n);
  const { dataDir } = deriveServiceLayout(fixture.dirs, 'svc');
  writeFileSync(dataDir, 'in the way');
  host.setDesired(desiredOf({ port }));
  const report = await host.settled('svc', 1n);
  expect(report.phase).toBe(fleet.NodePhase.FAILED);
  expect(report.error).toContain(dataDir);
  rmSync(dataDir);
  await eventually(() => (host.reports()[0]?.phase === fleet.NodePhase.RUNNING ? true : undefined));
  expect(host.reports()).toHaveLength(1);
});

test('a state file that somebody broke does not stop the service', async () => {
  const host = fixture.open();
  host.setDesired(desiredOf({ port }));
  await host.settled('svc', 1n);
  await host.close({ stopServices: false });
  writeFileSync(`${deriveServiceLayout(fixture.dirs, 'svc').dataDir}/state.json`, '{ broken');
  const next = fixture.open();
  expect(await next.settled('svc', 1n)).toMatchObject({ phase: fleet.NodePhase.RUNNING, error: '' });
  expect(await ask(port)).toBe('one');
  expect((await next.control('svc', 'status')).units).toHaveLength(1);
});

test('an agent that must stop its services stops them, and the next one starts them again', async () => {
  const host = fixture.open();
  host.setDesired(desiredOf({ port }));
  await host.settled('svc', 1n);
  await host.close({ stopServices: true });
  expect(await ask(port)).toBeUndefined();
  const next = fixture.open();
  await next.settled('svc', 1n);
  expect(await ask(port)).toBe('one');
});

test('versions can be listed and had; one that does not exist is a reason, not a throw', async () => {
  const host = fixture.open();
  const install = (version: string) => host.versions.install({ kind: 'envoy', version, offer: undefined });
  expect(await install('1.40.0')).toMatchObject({ ok: true, value: { installed: { version: '1.40.0' } } });
  expect((await host.versions.list('envoy')).map(({ version }) => version)).toContain('1.40.0');
  expect(await install('nonsense')).toMatchObject({ ok: false });
});

function waitingCluster(path: string): unknown {
  return {
    name: 'xds',
    type: 'STATIC',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    load_assignment: {
      cluster_name: 'xds',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path } } } }] }],
    },
  };
}

function admin(adminPort: number, method: string, path: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port: adminPort, method, path, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
    });
    call.on('error', reject);
    call.end();
  });
}

async function lowPort(): Promise<number> {
  for (let candidate = 1_023; candidate > 600; candidate -= 1) {
    const isFree = await new Promise<boolean>((resolve) => {
      const probe = connect(candidate, '127.0.0.1');
      probe.once('connect', () => probe.destroy() && resolve(false));
      probe.once('error', () => resolve(true));
    });
    if (!isFree) continue;
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(candidate, '127.0.0.1', resolve));
    await new Promise((resolve) => server.close(resolve));
    return candidate;
  }
  throw new Error('no low port is free');
}
