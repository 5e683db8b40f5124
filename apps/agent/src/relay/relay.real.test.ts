import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { create, toBinary } from '@bufbuild/protobuf';
import { createTestStreams, type TestStreams } from '@flotilla/controller/testing/streams';
import { type EnvoyApi, loadEnvoyApi } from '@flotilla/envoy-api';
import { createSilentLogger, sleep, systemClock } from '@flotilla/kit';
import { findFreePort } from '@flotilla/kit/testing';
import { deriveServiceLayout, discovery, fleet, formatNodeId } from '@flotilla/proto';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { createSnapshot, SnapshotCache, type SnapshotPart } from '@flotilla/xds';
import { planSnapshot } from '@flotilla/xds-grpc';
import { type Backend, startBackend } from '@flotilla/xds-grpc/testing/backends';
import { createParts, type Parts } from '@flotilla/xds-grpc/testing/resources';
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Agent, createAgent } from '../agent.ts';
import { callAdmin } from '../host/envoy/admin-client.ts';
import { ADS_SECRET_HEADER, type ServiceHost } from '../host/index.ts';
import { IdentityFiles } from '../identity/identity-files.ts';
import { idleNetworkOptions } from '../testing/idle-network.ts';
import { TestAgent, waitFor } from '../testing/test-agent.ts';
import { createTestHost, type TestHost } from '../testing/test-host.ts';

const SERVICE = 'web';
const VERSION = TEST_ENVOY_VERSIONS.newest;

let t: TestStreams;
let parts: Parts;
let api: EnvoyApi;
let backends: Record<'one' | 'two', Backend>;
beforeAll(async () => {
  t = await createTestStreams();
  const { path: binaryPath } = await ensureTestEnvoy(VERSION);
  api = await loadEnvoyApi({ version: VERSION, binaryPath });
  parts = createParts(api);
  backends = { one: await startBackend('one'), two: await startBackend('two') };
});
afterAll(async () => {
  for (const backend of Object.values(backends ?? {})) backend.close();
  await t?.close();
});

/** A host with one service whose Envoy gets its configuration through the agent. */
class Edge {
  readonly cache = new SnapshotCache();
  readonly port: number;
  readonly adminPort: number;
  readonly nodeId: string;
  readonly clientId: string;
  readonly #files: IdentityFiles;
  readonly testHost: TestHost;
  host: ServiceHost;
  agent: Agent;

  private constructor(fields: {
    testHost: TestHost;
    files: IdentityFiles;
    clientId: string;
    nodeId: string;
    port: number;
    adminPort: number;
  }) {
    this.testHost = fields.testHost;
    this.#files = fields.files;
    this.clientId = fields.clientId;
    this.nodeId = fields.nodeId;
    this.port = fields.port;
    this.adminPort = fields.adminPort;
    [this.host, this.agent] = this.#open();
  }

  static async create(): Promise<Edge> {
    const joining = await TestAgent.enrolled(t);
    const identity = await joining.files.read();
    if (!identity) throw new Error('not enrolled');
    const testHost = await createTestHost();
    const files = new IdentityFiles(testHost.dirs.dataDir);
    await files.write(identity);
    await joining.close();
    const { clientId, projectId } = identity;
    const nodeId = formatNodeId({ service: SERVICE, project: projectId, clientId });
    const edge = new Edge({
      testHost,
      files,
      clientId,
      nodeId,
      port: await findFreePort(),
      adminPort: await findFreePort(),
    });
    t.nodes.set(nodeId, edge.cache.source(nodeId));
    t.fleet.services = [edge.#desired()];
    t.fleet.revision += 1n;
    await edge.agent.start(identity);
    return edge;
  }

  get layout() {
    return deriveServiceLayout(this.testHost.dirs, SERVICE);
  }

  set(...resources: SnapshotPart[]): void {
    this.cache.set(this.nodeId, planSnapshot(this.nodeId, createSnapshot(resources)));
  }

  /** Returns a cluster, a route and a listener that answer with the backend's name. */
  chain(backend: Backend): SnapshotPart[] {
    return [
      parts.staticCluster('shop', backend.port),
      parts.route('main', 'shop'),
      parts.listener('http', this.port, 'main'),
    ];
  }

  async body(): Promise<string> {
    return fetch(`http://127.0.0.1:${this.port}/`).then(
      (answer) => answer.text(),
      () => 'no answer',
    );
  }

  async until(body: string): Promise<void> {
    await waitFor(
      `the proxy answers ${body}: ${JSON.stringify(this.host.reports().map((r) => r.error))}`,
      async () => (await this.body()) === body,
    );
  }

  envoyPid(): number {
    return this.host.reports()[0]?.envoyPid ?? 0;
  }

  /** Changes the bootstrap and the generation, as UPDATE_BOOTSTRAP does. */
  changeBootstrap(): void {
    t.fleet.services = [this.#desired({ stats_flush_interval: '7s' })];
    t.fleet.revision += 1n;
    t.streams.commands.noteDesired(this.clientId);
  }

  killEnvoy(): number {
    const pid = this.envoyPid();
    process.kill(pid, 'SIGKILL');
    return pid;
  }

  async stopAgent(): Promise<void> {
    await this.agent.close();
    await this.host.close({ stopServices: false });
  }

  async startAgent(): Promise<void> {
    [this.host, this.agent] = this.#open();
    const identity = await this.#files.read();
    if (identity) await this.agent.start(identity);
  }

  async close(): Promise<void> {
    await this.agent.close();
    await this.testHost.destroy();
  }

  #open(): [ServiceHost, Agent] {
    const host = this.testHost.open();
    const agent = createAgent({
      controller: { host: '127.0.0.1', port: t.port },
      dataDir: this.testHost.dirs.dataDir,
      files: this.#files,
      host,
      network: idleNetworkOptions(this.testHost.dirs.dataDir),
      clock: systemClock,
      logger: createSilentLogger(),
      backoff: { initialMs: 20, maxMs: 200 },
    });
    return [host, agent];
  }

  #desired(extra: Record<string, unknown> = {}): fleet.DesiredService {
    const ads = { ads: {}, resource_api_version: 'V3' };
    const http2 = {
      '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
      explicit_http_config: { http2_protocol_options: {} },
    };
    const bootstrap = {
      ...extra,
      node: { id: this.nodeId, cluster: SERVICE },
      dynamic_resources: {
        ads_config: {
          api_type: 'DELTA_GRPC',
          transport_api_version: 'V3',
          grpc_services: [{ envoy_grpc: { cluster_name: 'xds' } }],
        },
        cds_config: ads,
        lds_config: ads,
      },
      static_resources: {
        clusters: [
          {
            name: 'xds',
            type: 'STATIC',
            typed_extension_protocol_options: { 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': http2 },
            load_assignment: {
              cluster_name: 'xds',
              endpoints: [{ lb_endpoints: [{ endpoint: { address: { pipe: { path: this.layout.xdsSocket } } } }] }],
            },
          },
        ],
      },
    };
    return create(fleet.DesiredServiceSchema, {
      serviceId: SERVICE,
      name: SERVICE,
      nodeId: this.nodeId,
      generation: t.fleet.revision + 1n,
      envoyVersion: VERSION,
      bootstrapJson: Buffer.from(JSON.stringify(bootstrap)),
      runState: fleet.RunState.RUNNING,
      adminPort: this.adminPort,
      listenerPorts: [this.port],
    });
  }
}

/** Subscribes to all clusters. Returns the number of answers and the status code at the end of the stream. */
async function askForClusters(socket: string, nodeId: string, headers: Record<string, string>) {
  const client = new Client(`unix:${socket}`, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(headers)) metadata.set(key, value);
  const path = '/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources';
  const same = (bytes: Buffer) => bytes;
  const call = client.makeBidiStreamRequest(path, same, same, metadata);
  let answers = 0;
  call.on('data', () => {
    answers += 1;
  });
  const code = await new Promise<number>((resolve) => {
    call.on('error', (error) => resolve((error as unknown as { code: number }).code));
    const typeUrl = 'type.googleapis.com/envoy.config.cluster.v3.Cluster';
    const request = create(discovery.DeltaDiscoveryRequestSchema, { node: { id: nodeId }, typeUrl });
    call.write(Buffer.from(toBinary(discovery.DeltaDiscoveryRequestSchema, request)));
  });
  client.close();
  return { answers, code };
}

let edge: Edge;
beforeEach(async () => {
  t.fleet.log.length = 0;
  edge = await Edge.create();
});
afterEach(async () => {
  await edge?.close();
  t.fleet.services = [];
});

describe('a real Envoy behind its agent', () => {
  it('gets the resources from the controller, and the controller gets the report that they are live', async () => {
    edge.set(...edge.chain(backends.one));
    await edge.until('one');
    await waitFor('live', () => t.fleet.log.includes(`rollout ${edge.nodeId} ${fleet.RolloutState.LIVE}`));
    edge.set(...edge.chain(backends.two));
    await edge.until('two');
    const { mode, uid, gid } = await stat(edge.layout.xdsSocket);
    expect([mode & 0o777, uid]).toEqual([0o660, process.getuid?.()]);
    expect((await stat(edge.layout.socketDir)).gid).toBe(gid);
    expect((await stat(edge.layout.snapshotFile)).mode & 0o777).toBe(0o600);
  });

  it('starts with the last good set while the controller is away', async () => {
    edge.set(...edge.chain(backends.one));
    await edge.until('one');
    await waitFor('kept', () => existsSync(edge.layout.snapshotFile));
    await t.stop();
    try {
      const killed = edge.killEnvoy();
      await waitFor('a new Envoy', () => edge.envoyPid() !== killed && edge.envoyPid() > 0);
      await edge.until('one');
      // A restarted agent has only what is on disk.
      await edge.stopAgent();
      expect(await edge.body()).toBe('one');
      await edge.startAgent();
      await waitFor('adopted', () => edge.envoyPid() > 0);
      const adopted = edge.killEnvoy();
      await waitFor('a new Envoy', () => edge.envoyPid() !== adopted && edge.envoyPid() > 0);
      await edge.until('one');
    } finally {
      await t.restart();
    }
    edge.set(...edge.chain(backends.two));
    await edge.until('two');
  });

  it('continues with the last good set when the newest set is invalid and Envoy is killed', async () => {
    edge.set(...edge.chain(backends.one));
    await edge.until('one');
    const invalid = parts.staticCluster('shop', backends.two.port, { lb_policy: 'CLUSTER_PROVIDED' });
    const spare = parts.staticCluster('spare', backends.two.port);
    edge.set(invalid, spare, parts.route('main', 'shop'), parts.listener('http', edge.port, 'main'));
    await waitFor('reported', () => t.fleet.log.includes(`rollout ${edge.nodeId} ${fleet.RolloutState.PARTIAL}`));
    expect(await edge.body()).toBe('one');
    const killed = edge.killEnvoy();
    await waitFor('a new Envoy', () => edge.envoyPid() !== killed && edge.envoyPid() > 0);
    await edge.until('one');
    await sleep(500);
    expect(await edge.body()).toBe('one');
    edge.set(...edge.chain(backends.two));
    await edge.until('two');
  });

  it('serves at a port that another program had as soon as that is gone', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(edge.port, '127.0.0.1', resolve));
    edge.set(...edge.chain(backends.one));
    await waitFor('refused', () => t.fleet.log.includes(`rollout ${edge.nodeId} ${fleet.RolloutState.PARTIAL}`));
    other.close();
    await edge.until('one');
    await waitFor('live', () => t.fleet.log.includes(`rollout ${edge.nodeId} ${fleet.RolloutState.LIVE}`));
  });

  it('continues to serve while the agent is replaced, and gets changes from the next agent', async () => {
    edge.set(...edge.chain(backends.one));
    await edge.until('one');
    const pid = edge.envoyPid();
    await edge.stopAgent();
    for (let i = 0; i < 20; i += 1) expect(await edge.body()).toBe('one');
    await edge.startAgent();
    edge.set(...edge.chain(backends.two));
    await edge.until('two');
    expect(edge.envoyPid()).toBe(pid);
  });

  it('is replaced by another Envoy without a failed request while the agent serves both', async () => {
    edge.set(...edge.chain(backends.one));
    await edge.until('one');
    const before = edge.envoyPid();
    const failures: string[] = [];
    const stop = new AbortController();
    const load = (async () => {
      while (!stop.signal.aborted) {
        const body = await edge.body();
        if (body !== 'one' && body !== 'two') failures.push(body);
        await sleep(2);
      }
    })();
    edge.changeBootstrap();
    await waitFor('replaced', () => edge.envoyPid() !== before && edge.envoyPid() > 0);
    edge.set(...edge.chain(backends.two));
    await edge.until('two');
    // The drain of the old Envoy is over by then.
    await sleep(2500);
    stop.abort();
    await load;
    expect(failures).toEqual([]);
    expect(await edge.body()).toBe('two');
  });

  it('has an ADS socket that serves only streams with the secret of an Envoy that the agent has started (attack 4)', async () => {
    edge.set(...edge.chain(backends.one));
    await edge.until('one');
    const wrong: Array<Record<string, string>> = [{}, { [ADS_SECRET_HEADER]: `flads_${'0'.repeat(64)}` }];
    for (const metadata of wrong) {
      const stranger = await askForClusters(edge.layout.xdsSocket, edge.nodeId, metadata);
      expect(stranger).toEqual({ answers: 0, code: status.UNAUTHENTICATED });
    }
    edge.set(...edge.chain(backends.two));
    await edge.until('two');
  });

  it('has a secret that the admin port and the agent mask, and that only the log of Envoy contains (attack 4)', async () => {
    const seen = async () => (await fetch(`http://127.0.0.1:${edge.adminPort}/config_dump`)).text();
    edge.set(...edge.chain(backends.one));
    await edge.until('one');
    const secret = new RegExp(`${ADS_SECRET_HEADER}[^}]*flads_[0-9a-f]{64}`);
    const socket = edge.host.adminSocket(SERVICE);
    expect((socket && (await callAdmin(socket, '/config_dump')))?.body).toMatch(secret);
    await waitFor('the admin port', () =>
      seen().then(
        (text) => text.includes('bootstrap'),
        () => false,
      ),
    );
    expect(await seen()).toContain(ADS_SECRET_HEADER);
    expect(await seen()).not.toMatch(/flads_[0-9a-f]{64}/);
    if (socket) await callAdmin(socket, '/logging?level=trace', { method: 'POST' });
    await edge.stopAgent();
    await edge.startAgent();
    edge.set(...edge.chain(backends.two));
    await edge.until('two');
    expect(readFileSync(`${edge.layout.logDir}/envoy.log`, 'utf8')).toMatch(/flads_[0-9a-f]{64}/);
    const { logs } = await edge.host.control(SERVICE, 'logs', { lines: 5_000 });
    expect(logs?.envoy?.join()).toContain(ADS_SECRET_HEADER);
    expect(logs?.envoy?.join()).not.toMatch(/flads_[0-9a-f]{64}/);
    const found = execFileSync('sh', ['-c', 'grep -rlE "flads_[0-9a-f]{64}" "$@" || true', 'sh', edge.testHost.base]);
    expect(String(found).trim()).toBe(`${edge.layout.logDir}/envoy.log`);
    expect(readFileSync(`/proc/${edge.envoyPid()}/cmdline`, 'utf8')).not.toMatch(/flads_/);
    expect(readFileSync(`/proc/${edge.envoyPid()}/environ`, 'utf8')).not.toMatch(/flads_/);
  });

  it('leaves no socket and no last good set when it is undeployed', async () => {
    edge.set(...edge.chain(backends.one));
    await edge.until('one');
    const { layout } = edge;
    await waitFor('kept', () => existsSync(layout.snapshotFile));
    expect(readFileSync(layout.snapshotFile).subarray(0, 4).toString()).toBe('FLXS');
    t.fleet.services = [];
    t.fleet.revision += 1n;
    t.streams.commands.noteDesired(edge.clientId);
    await waitFor('gone', () => !existsSync(layout.dataDir) && !existsSync(layout.runtimeDir));
  });
});
