import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createId } from '@flotilla/kit';
import { deriveServiceLayout } from '@flotilla/proto';
import {
  createServerCertificate,
  ensureTestEnvoy,
  findFreePorts,
  TEST_ENVOY_CACHE_DIR,
  TIER_ENVOY_VERSIONS,
} from '@flotilla/testkit';
import { createAdsService } from '@flotilla/xds-grpc';
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { hostFacts } from '../../../testing/fleet.ts';

const HOST = 'site.example.com';
const WAIT = { interval: 50 };

let t: TestController;
let upstream: Server;
let certificate: string;
let dir: string;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  const { certificatePem, privateKeyPem } = await createServerCertificate(HOST);
  certificate = certificatePem;
  upstream = createServer({ cert: certificatePem, key: privateKeyPem }, (_request, response) => response.end('behind'));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  dir = await mkdtemp(join(tmpdir(), 'sd-'));
});
afterAll(async () => {
  await t?.close();
  upstream?.close();
  await rm(dir, { recursive: true, force: true });
});

describe.each(TIER_ENVOY_VERSIONS)('the starter documents of a new project, in Envoy %s', (version) => {
  let project: string;
  let port: number;
  let grpc: GrpcServer | undefined;
  let envoy: ChildProcess | undefined;
  let log = '';

  const patch = async (what: string, resource: object) => {
    const url = `/api/v3/xds/${what}?project=${project}&version=${version}`;
    const { status, body } = await t.owner.call('PATCH', url, { resource });
    expect(status, JSON.stringify(body)).toBe(200);
  };
  const get = (host: string) =>
    new Promise<{ status: number | undefined; body: string }>((resolve, reject) => {
      request({ host: '127.0.0.1', port, headers: { host }, agent: false }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () => resolve({ status: response.statusCode, body }));
      })
        .on('error', reject)
        .end();
    });

  beforeAll(async () => {
    [port = 0] = await findFreePorts(1);
    const made = await t.owner.call('POST', '/api/v3/setting/projects', { name: `of-${version}`, starters: [version] });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    project = made.body.id;
    await patch('listeners/http', { address: { socket_address: { port_value: port } } });
    const clientId = createId();
    const facts = hostFacts({ runtimeDir: join(dir, `r${version}`), dataDir: join(dir, `d${version}`) });
    const client = { id: clientId, projectId: project, facts, now: new Date() };
    await t.database.db.transaction().execute((tx) => t.controller.fleet.clients.register(tx, client));
    const service = await t.owner.call('POST', `/api/op/services?project=${project}`, {
      name: 'edge',
      version,
      bootstrap: 'main',
      listeners: ['http'],
      clients: [{ client_id: clientId, addresses: ['127.0.0.1'] }],
    });
    expect(service.status, JSON.stringify(service.body)).toBe(201);
    const layout = deriveServiceLayout(facts, service.body.id);
    for (const folder of [layout.filesDir, layout.runtimeDir, dirname(layout.bootstrapFile)])
      await mkdir(folder, { recursive: true });
    await writeFile(join(layout.filesDir, 'ca.crt'), certificate);
    const { snapshots, cache } = t.controller.fleet;
    const ads = createAdsService({
      openStream: async ({ nodeId }) => {
        await snapshots.ensureNode(nodeId);
        return { accept: true, source: cache.source(nodeId) };
      },
    });
    const server = new GrpcServer();
    grpc = server;
    server.addService(ads.definition, ads.handlers);
    await new Promise<void>((resolve, reject) =>
      server.bindAsync(`unix:${layout.xdsSocket}`, ServerCredentials.createInsecure(), (error) =>
        error ? reject(error) : resolve(),
      ),
    );
    const node = await snapshots.findNode(`edge::${project}::${clientId}`);
    if (!node) throw new Error('no node');
    const { translation } = await snapshots.previewNode(node);
    expect(translation.errors).toEqual([]);
    await writeFile(layout.bootstrapFile, JSON.stringify(translation.bootstrap));
    const { path } = await ensureTestEnvoy(version);
    const flags = ['-c', layout.bootstrapFile, '-l', 'warning', '--disable-hot-restart', '--concurrency', '1'];
    envoy = spawn(path, flags, { stdio: ['ignore', 'ignore', 'pipe'] });
    envoy.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk;
    });
  });
  afterAll(async () => {
    if (envoy?.exitCode === null) {
      const gone = once(envoy, 'exit');
      envoy.kill('SIGKILL');
      await gone;
    }
    grpc?.forceShutdown();
  });

  it('answer requests without a change', async () => {
    await vi.waitFor(async () => expect(await get(HOST), log).toEqual({ status: 200, body: 'It works.\n' }), WAIT);
  });

  it('lead to a TLS server, whose certificate must match the requested name', async () => {
    const { port: upstreamPort } = upstream.address() as AddressInfo;
    const endpoint = { address: { socket_address: { address: '127.0.0.1', port_value: upstreamPort } } };
    await patch('clusters/backend', {
      load_assignment: { endpoints: [{ lb_endpoints: [{ endpoint }] }] },
      transport_socket: { $ref: 'extensions/upstream-tls' },
    });
    const routes = [{ match: { prefix: '/' }, route: { cluster: 'backend' } }];
    await patch('routes/main', { virtual_hosts: [{ name: 'all', domains: ['*'], routes }] });
    await vi.waitFor(async () => expect(await get(HOST), log).toEqual({ status: 200, body: 'behind' }), WAIT);
    expect((await get('other.example.com')).status).toBe(503);
    expect(log).not.toMatch(/rejected|deprecated/);
  });
});
