import { create } from '@bufbuild/protobuf';
import type { TestStreams } from '@flotilla/controller/testing/streams';
import { type JsonObject, loadEnvoyApi } from '@flotilla/envoy-api';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout, fleet, formatNodeId } from '@flotilla/proto';
import { ensureTestEnvoy } from '@flotilla/testkit';
import { Translator } from '@flotilla/translate';
import { TEST_NODE, TestSource } from '@flotilla/translate/testing';
import { createResource, createSnapshot, SnapshotCache } from '@flotilla/xds';
import { planSnapshot } from '@flotilla/xds-grpc';
import { type Backend, startBackend } from '@flotilla/xds-grpc/testing/backends';
import { type Agent, type AgentOptions, createAgent } from '../agent.ts';
import type { ServiceHost } from '../host/index.ts';
import { IdentityFiles } from '../identity/identity-files.ts';
import { idleNetworkOptions } from './idle-network.ts';
import { TestAgent } from './test-agent.ts';
import { createTestHost, type TestHost } from './test-host.ts';

export const LOGGED_SERVICE = 'web';
const NETWORK = 'type.googleapis.com/envoy.extensions.filters.network';
const ROUTER = {
  name: 'router',
  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
};

/** A host with one service that records its traffic, as the controller would configure it. */
export class LoggedEdge {
  readonly httpPort: number;
  readonly tcpPort: number;
  readonly testHost: TestHost;
  readonly files: IdentityFiles;
  readonly #t: TestStreams;
  readonly #backend: Backend;
  #running: { readonly host: ServiceHost; readonly agent: Agent } | undefined;

  private constructor(fields: {
    t: TestStreams;
    testHost: TestHost;
    files: IdentityFiles;
    ports: { readonly http: number; readonly tcp: number };
    backend: Backend;
  }) {
    this.#t = fields.t;
    this.testHost = fields.testHost;
    this.files = fields.files;
    this.httpPort = fields.ports.http;
    this.tcpPort = fields.ports.tcp;
    this.#backend = fields.backend;
  }

  /** The agent is not started. `isLogged`: whether the service has API discovery. */
  static async create(t: TestStreams, version: string, { isLogged = true } = {}): Promise<LoggedEdge> {
    const joining = await TestAgent.enrolled(t);
    const identity = await joining.files.read();
    await joining.close();
    if (!identity) throw new Error('not enrolled');
    const testHost = await createTestHost();
    const files = new IdentityFiles(testHost.dirs.dataDir);
    await files.write(identity);
    const ports = { http: await findFreePort(), tcp: await findFreePort() };
    const edge = new LoggedEdge({ t, testHost, files, ports, backend: await startBackend('answer') });
    await edge.#configure(version, { ...identity, isLogged });
    return edge;
  }

  get layout() {
    return deriveServiceLayout(this.testHost.dirs, LOGGED_SERVICE);
  }

  async start(options: Partial<AgentOptions> = {}): Promise<void> {
    const host = this.testHost.open();
    const agent = createAgent({
      controller: { host: '127.0.0.1', port: this.#t.port },
      dataDir: this.testHost.dirs.dataDir,
      files: this.files,
      host,
      network: idleNetworkOptions(this.testHost.dirs.dataDir),
      clock: systemClock,
      logger: createSilentLogger(),
      backoff: { initialMs: 20, maxMs: 200 },
      ...options,
      accessLogs: { backoff: { initialMs: 20, maxMs: 200 }, delayMs: 50, ...options.accessLogs },
    });
    this.#running = { host, agent };
    const identity = await this.files.read();
    if (identity) await agent.start(identity);
  }

  async stop(): Promise<void> {
    const { agent, host } = this.#running ?? {};
    this.#running = undefined;
    await agent?.close();
    await host?.close({ stopServices: false });
  }

  /** The body of the answer; undefined: the request has failed. */
  async get(path: string, headers: Record<string, string> = {}): Promise<string | undefined> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.httpPort}${path}`, { headers });
      return await answer.text();
    } catch {
      return undefined;
    }
  }

  envoyPid(): number {
    return this.#running?.host.reports()[0]?.envoyPid ?? 0;
  }

  async close(): Promise<void> {
    await this.stop();
    await this.testHost.destroy();
    this.#backend.close();
    this.#t.fleet.services = [];
  }

  async #configure(
    version: string,
    { clientId, projectId, isLogged }: { clientId: string; projectId: string; isLogged: boolean },
  ): Promise<void> {
    const { path: binaryPath } = await ensureTestEnvoy(version);
    const api = await loadEnvoyApi({ version, binaryPath });
    const nodeId = formatNodeId({ service: LOGGED_SERVICE, project: projectId, clientId });
    const { resources, bootstrap, errors } = new Translator(api).translate(this.#documents(), {
      ...TEST_NODE,
      nodeId,
      listeners: ['http', 'tcp'],
      xdsSocket: this.layout.xdsSocket,
      filesDir: this.layout.filesDir,
      ...(isLogged && { accessLogSocket: this.layout.accessLogSocket }),
    });
    if (errors.length > 0) throw new Error(JSON.stringify(errors));
    const cache = new SnapshotCache();
    const parts = resources.map(({ typeUrl, name, bytes, dependsOn }) => ({
      resource: createResource({ typeUrl, name }, bytes),
      dependsOn,
    }));
    cache.set(nodeId, planSnapshot(nodeId, createSnapshot(parts)));
    this.#t.nodes.set(nodeId, cache.source(nodeId));
    this.#t.fleet.revision += 1n;
    this.#t.fleet.services = [
      create(fleet.DesiredServiceSchema, {
        serviceId: LOGGED_SERVICE,
        name: LOGGED_SERVICE,
        nodeId,
        generation: this.#t.fleet.revision,
        envoyVersion: version,
        bootstrapJson: Buffer.from(JSON.stringify(bootstrap)),
        runState: fleet.RunState.RUNNING,
        listenerPorts: [this.httpPort, this.tcpPort],
      }),
    ];
  }

  #documents(): TestSource {
    const manager: JsonObject = {
      '@type': `${NETWORK}.http_connection_manager.v3.HttpConnectionManager`,
      stat_prefix: 'http',
      codec_type: 'AUTO',
      use_remote_address: true,
      http_filters: [ROUTER],
      route_config: {
        virtual_hosts: [
          {
            name: 'all',
            domains: ['*'],
            routes: [
              { match: { prefix: '/missing' }, direct_response: { status: 404 } },
              { name: 'all', match: { prefix: '/' }, route: { cluster: 'backend' } },
            ],
          },
        ],
      },
    };
    const proxy: JsonObject = { '@type': `${NETWORK}.tcp_proxy.v3.TcpProxy`, stat_prefix: 'tcp', cluster: 'backend' };
    return new TestSource({
      bootstrap: { main: {} },
      listeners: {
        http: listener('http', this.httpPort, manager),
        tcp: listener('tcp', this.tcpPort, proxy),
      },
      clusters: { backend: clusterOf(this.#backend.port) },
    });
  }
}

function listener(name: string, port: number, typed_config: JsonObject): JsonObject {
  return {
    name,
    address: { socket_address: { address: '127.0.0.1', port_value: port } },
    filter_chains: [{ filters: [{ name: 'only', typed_config }] }],
  };
}

function clusterOf(port: number): JsonObject {
  const endpoint = { address: { socket_address: { address: '127.0.0.1', port_value: port } } };
  return {
    name: 'backend',
    type: 'STATIC',
    connect_timeout: '5s',
    load_assignment: { cluster_name: 'backend', endpoints: [{ lb_endpoints: [{ endpoint }] }] },
  };
}
