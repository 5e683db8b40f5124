import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout } from '@flotilla/proto';
import { ensureTestEnvoy, TEST_ENVOY_CACHE_DIR, TIER_ENVOY_VERSIONS } from '@flotilla/testkit';
import { createAdsService } from '@flotilla/xds-grpc';
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestController, type TestController } from '../../../testing/controller.ts';
import { hostFacts, registerClient } from '../../../testing/fleet.ts';
import { nodeIdOf } from './index.ts';

const HCM = 'envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const ROUTER = 'envoy.extensions.filters.http.router.v3.Router';
const MUTATION = 'envoy.extensions.filters.http.header_mutation.v3.HeaderMutation';

let t: TestController;
let upstream: Server;
let dir: string;
beforeAll(async () => {
  t = await createTestController({ SVC_ENVOY_CACHE_DIR: TEST_ENVOY_CACHE_DIR });
  upstream = createServer((request, response) => response.end(`hello ${request.url}`));
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  dir = await mkdtemp(join(tmpdir(), 'fs-'));
});
afterAll(async () => {
  await t.close();
  upstream.close();
  await rm(dir, { recursive: true, force: true });
});

function documents(version: string, port: number, header: string) {
  const at = (collection: string, name: string, resource: object, type?: string) => ({
    collection,
    name,
    version,
    resource,
    ...(type && { type }),
  });
  const respond = (status: number) => ({ match: { prefix: '/' }, direct_response: { status } });
  return [
    at('bootstrap', 'main', {}),
    at('listeners', 'http', {
      address: { socket_address: { address: '@client', port_value: port } },
      filter_chains: [{ filters: [{ $ref: 'filters/manager' }] }],
    }),
    at(
      'filters',
      'manager',
      {
        stat_prefix: 'http',
        rds: { route_config_name: 'main', config_source: { ads: {} } },
        http_filters: [{ $ref: 'filters/stamp' }, { $ref: 'filters/router' }],
        access_log: [{ $ref: 'extensions/log' }],
      },
      HCM,
    ),
    at('extensions', 'log', { path: 'files/access.log' }, 'envoy.extensions.access_loggers.file.v3.FileAccessLog'),
    at('filters', 'router', {}, ROUTER),
    at(
      'filters',
      'stamp',
      { mutations: { response_mutations: [{ append: { header: { key: 'x-stamp', value: header } } }] } },
      MUTATION,
    ),
    at('routes', 'main', {
      virtual_hosts: [{ name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'app' } }] }],
    }),
    at('virtual_hosts', 'main/teapot.example.com', { domains: ['teapot.example.com'], routes: [respond(418)] }),
    at('clusters', 'app', { type: 'EDS', connect_timeout: '1s', eds_cluster_config: { eds_config: { ads: {} } } }),
    at('endpoints', 'app', {
      endpoints: [
        {
          lb_endpoints: [
            {
              endpoint: {
                address: {
                  socket_address: { address: '127.0.0.1', port_value: (upstream.address() as AddressInfo).port },
                },
              },
            },
          ],
        },
      ],
    }),
  ];
}

for (const version of TIER_ENVOY_VERSIONS) {
  describe(`Envoy ${version}`, () => {
    let grpc: GrpcServer;
    let envoy: ChildProcess;
    let port: number;
    let nodeId: string;
    let log = '';

    const get = (path: string, host = 'www.example.com') =>
      import('node:http').then(
        ({ request }) =>
          new Promise<{ status: number; body: string; stamp: string | undefined }>((resolve, reject) => {
            request({ host: '127.0.0.1', port, path, headers: { host }, agent: false }, (response) => {
              let body = '';
              response.setEncoding('utf8').on('data', (chunk: string) => {
                body += chunk;
              });
              const stamp = response.headers['x-stamp'] as string | undefined;
              response.on('end', () => resolve({ status: response.statusCode ?? 0, body, stamp }));
            })
              .on('error', reject)
              .end();
          }),
      );

    beforeAll(async () => {
      port = await findFreePort();
      const facts = hostFacts({ runtimeDir: join(dir, `r${version}`), dataDir: join(dir, `d${version}`) });
      const clientId = await registerClient(t, facts);
      const applied = await t.owner.call('POST', '/api/v3/xds/apply', {
        project: t.project,
        documents: documents(version, port, 'one'),
      });
      expect(applied.status, JSON.stringify(applied.body)).toBe(200);
      const service = await t.owner.call('POST', `/api/op/services?project=${t.project}`, {
        name: `web-${version}`,
        version,
        bootstrap: 'main',
        listeners: ['http'],
        clients: [{ client_id: clientId, addresses: ['127.0.0.1'] }],
      });
      expect(service.status, JSON.stringify(service.body)).toBe(201);
      const layout = deriveServiceLayout(facts, service.body.id);
      await mkdir(layout.filesDir, { recursive: true });
      await mkdir(layout.runtimeDir, { recursive: true });
      await mkdir(dirname(layout.bootstrapFile), { recursive: true });

      const { snapshots, cache } = t.controller.fleet;
      const ads = createAdsService({
        openStream: async (peer) => {
          nodeId = peer.nodeId;
          await snapshots.ensureNode(peer.nodeId);
          return { accept: true, source: cache.source(peer.nodeId) };
        },
      });
      grpc = new GrpcServer();
      grpc.addService(ads.definition, ads.handlers);
      await new Promise<void>((resolve, reject) =>
        grpc.bindAsync(`unix:${layout.xdsSocket}`, ServerCredentials.createInsecure(), (error) =>
          error ? reject(error) : resolve(),
        ),
      );
      const node = await snapshots.findNode(`web-${version}::${t.project}::${clientId}`);
      if (!node) throw new Error('no node');
      const { translation } = await snapshots.previewNode(node);
      expect(translation.errors).toEqual([]);
      expect(translation.listenerPorts).toEqual([port]);
      await writeFile(layout.bootstrapFile, JSON.stringify(translation.bootstrap));
      const { path } = await ensureTestEnvoy(version);
      envoy = spawn(
        path,
        ['-c', layout.bootstrapFile, '-l', 'warning', '--disable-hot-restart', '--concurrency', '1'],
        {
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
      envoy.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        log += chunk;
      });
      expect(nodeIdOf(node)).toContain(`web-${version}`);
    });
    afterAll(async () => {
      if (envoy?.exitCode === null) {
        const gone = once(envoy, 'exit');
        envoy.kill('SIGKILL');
        await gone;
      }
      grpc?.forceShutdown();
    });

    it('accepts our resources: RDS, ECDS, EDS, virtual hosts, references, files, the client address', async () => {
      await vi.waitFor(async () => expect((await get('/x')).status, log).toBe(200), { interval: 100 });
      expect(await get('/x')).toEqual({ status: 200, body: 'hello /x', stamp: 'one' });
      expect((await get('/', 'teapot.example.com')).status).toBe(418);
      expect(log).not.toMatch(/rejected|deprecated/);
    });

    it('gains and loses a virtual host while it runs', async () => {
      const list = `/api/v3/xds/virtual_hosts?project=${t.project}`;
      const name = 'main/late.example.com';
      const resource = {
        domains: ['late.example.com'],
        routes: [{ match: { prefix: '/' }, direct_response: { status: 201 } }],
      };
      expect((await t.owner.call('POST', list, { name, version, resource })).status).toBe(201);
      const until = (status: number) =>
        vi.waitFor(async () => expect((await get('/', 'late.example.com')).status).toBe(status), {
          timeout: 90_000,
          interval: 10,
        });
      await until(201);
      const item = list.replace('?', `/${encodeURIComponent(name)}?version=${version}&`);
      expect((await t.owner.call('DELETE', item)).status).toBe(204);
      await until(200);
      expect((await get('/', 'teapot.example.com')).status).toBe(418);
    });

    it('follows a change over REST without a new listener', async () => {
      const before = [...(t.controller.fleet.cache.get(nodeId)?.resources.values() ?? [])];
      const url = `/api/v3/xds/filters/stamp?project=${t.project}&version=${version}`;
      const resource = {
        mutations: { response_mutations: [{ append: { header: { key: 'x-stamp', value: 'two' } } }] },
      };
      expect((await t.owner.call('PUT', url, { resource })).status).toBe(200);
      await vi.waitFor(async () => expect((await get('/x')).stamp).toBe('two'), { interval: 10 });
      const after = [...(t.controller.fleet.cache.get(nodeId)?.resources.values() ?? [])];
      const listenerOf = (all: typeof before) => all.find(({ name }) => name === 'http')?.version;
      expect(listenerOf(after)).toBe(listenerOf(before));
    });
  });
}
