import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadEnvoyApi } from '@flotilla/envoy-api';
import { ensureTestEnvoy, findFreePorts, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { afterEach, expect, it, vi } from 'vitest';
import { renameDocument } from './rename-documents.ts';

const WAIT = { timeout: 30_000, interval: 50 };
const HCM = 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const ROUTER = 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router';
const version = TEST_ENVOY_VERSIONS.newest;

let dir: string | undefined;
let envoy: ChildProcess | undefined;
afterEach(async () => {
  if (envoy?.exitCode === null) {
    const gone = once(envoy, 'exit');
    envoy.kill('SIGKILL');
    await gone;
  }
  if (dir) await rm(dir, { recursive: true, force: true });
});

/** The filter chains of a listener that does this with every request. */
const doing = (route: object) => [
  {
    filters: [
      {
        name: 'http',
        typed_config: {
          '@type': HCM,
          stat_prefix: 'x',
          route_config: {
            virtual_hosts: [{ name: 'x', domains: ['*'], routes: [{ match: { prefix: '/' }, ...route }] }],
          },
          http_filters: [{ name: 'router', typed_config: { '@type': ROUTER } }],
        },
      },
    ],
  },
];

it('a renamed listener within Envoy is reached by a cluster that had its name of before', async () => {
  const api = await loadEnvoyApi({ version });
  const names = new Map([['listeners/hop', 'hop-old']]);
  const rename = (collection: 'listeners' | 'clusters', name: string, resource: object) =>
    renameDocument(api, { collection, name, version, resource: { name, ...resource } }, names).resource;
  const hop = rename('listeners', 'hop', {
    internal_listener: {},
    filter_chains: doing({ direct_response: { status: 200, body: { inline_string: 'behind the hop' } } }),
  });
  const address = { envoy_internal_address: { server_listener_name: 'hop' } };
  const cluster = rename('clusters', 'hops', {
    load_assignment: { cluster_name: 'hops', endpoints: [{ lb_endpoints: [{ endpoint: { address } }] }] },
  });
  const [port = 0] = await findFreePorts(1);
  const front = {
    name: 'front',
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: doing({ route: { cluster: 'hops' } }),
  };
  const internal = 'type.googleapis.com/envoy.extensions.bootstrap.internal_listener.v3.InternalListener';
  const bootstrap = {
    bootstrap_extensions: [{ name: 'internal', typed_config: { '@type': internal } }],
    static_resources: { listeners: [front, hop], clusters: [cluster] },
  };
  dir = await mkdtemp(join(tmpdir(), 'rd-'));
  const file = join(dir, 'envoy.json');
  await writeFile(file, JSON.stringify(bootstrap));
  const { path } = await ensureTestEnvoy(version);
  envoy = spawn(path, ['-c', file, '--use-dynamic-base-id', '--log-level', 'error'], { stdio: 'ignore' });
  await vi.waitFor(async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.text()).toBe('behind the hop');
  }, WAIT);
});
