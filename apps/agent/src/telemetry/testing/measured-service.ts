import { create, toBinary } from '@bufbuild/protobuf';
import { type EnvoyApi, type JsonValue, loadEnvoyApi } from '@flotilla/envoy-api';
import { createSilentLogger, systemClock } from '@flotilla/kit';
import { fleet, TRAFFIC_METRICS, type TrafficMetricName } from '@flotilla/proto';
import { ensureTestEnvoy, TEST_ENVOY_VERSIONS } from '@flotilla/testkit';
import { createResource, createSnapshot, RESOURCE_TYPE, type RolloutStatus, type Snapshot } from '@flotilla/xds';
import { type ServiceHost, streamAdmin } from '../../host/index.ts';
import { Outbox } from '../../link/outbox.ts';
import { createTestHost, desiredOf, type TestHost } from '../../testing/test-host.ts';
import { CatalogSource } from '../catalog-source.ts';
import { envoyReader } from '../envoy-reader.ts';
import { createListenerWatch, type ListenerWatch } from '../listener-watch.ts';
import { ServiceTraffic } from '../service-traffic.ts';
import { createTrafficSender } from '../traffic-sender.ts';
import { TrafficSpool } from '../traffic-spool.ts';

export { STATS_PATH } from '../envoy-reader.ts';

export interface MeasuredConfig {
  readonly listeners: ReadonlyArray<Record<string, JsonValue>>;
  readonly clusters: ReadonlyArray<Record<string, JsonValue>>;
  readonly version?: string;
  /** Time between two readings. */
  readonly intervalMs?: number;
}

const SERVICE = 'svc';
const V3 = 'type.googleapis.com/envoy.extensions';

/** One service with a real Envoy whose traffic is measured often. The controller is a list of received intervals. */
export class MeasuredService {
  readonly intervals: fleet.TrafficInterval[] = [];
  readonly host: ServiceHost;
  /** The snapshot that the relay of an agent would have. */
  readonly snapshot: Snapshot;
  readonly #testHost: TestHost;
  readonly #config: MeasuredConfig;
  readonly #sender: ReturnType<typeof createTrafficSender>;
  readonly #listeners: ListenerWatch;
  #generation = 0n;

  private constructor(testHost: TestHost, config: MeasuredConfig, snapshot: Snapshot) {
    this.#testHost = testHost;
    this.#config = config;
    this.snapshot = snapshot;
    this.host = testHost.open();
    const outbox = new Outbox();
    const rollout: RolloutStatus = { snapshotVersion: '', state: 'live', resources: [], retiring: [] };
    const relay = { snapshots: { newest: snapshot, lastGood: undefined }, status: () => rollout };
    const shared = { host: this.host, logger: createSilentLogger(), relays: { find: () => relay } };
    this.#sender = createTrafficSender({ ...shared, outbox, clock: systemClock, intervalMs: config.intervalMs ?? 200 });
    this.#sender.resend();
    this.#listeners = createListenerWatch(shared);
    this.host.onReport((report) => this.#listeners.noteProcess(report));
    outbox.open((message) => {
      if (message.body.case === 'trafficReport') this.#store(message.body.value);
      return true;
    });
  }

  static async start(config: MeasuredConfig): Promise<MeasuredService> {
    const version = config.version ?? TEST_ENVOY_VERSIONS.newest;
    const { path: binaryPath } = await ensureTestEnvoy(version);
    const snapshot = encode(config, await loadEnvoyApi({ version, binaryPath }));
    const service = new MeasuredService(await createTestHost(), config, snapshot);
    await service.deploy();
    return service;
  }

  /** Another generation with another bootstrap, which replaces Envoy. */
  async deploy(extra: Record<string, JsonValue> = {}): Promise<void> {
    this.#generation += 1n;
    const { listeners, clusters, version = TEST_ENVOY_VERSIONS.newest } = this.#config;
    const bootstrap = {
      node: { id: 'n', cluster: 'c' },
      // Histograms are merged when statistics are flushed.
      stats_flush_interval: '0.1s',
      static_resources: { listeners, clusters },
      ...extra,
    };
    this.host.setDesired(desiredOf({ serviceId: SERVICE, port: 0, version, generation: this.#generation, bootstrap }));
    const { error } = await this.host.settled(SERVICE, this.#generation);
    if (error !== '') throw new Error(error);
  }

  get report(): fleet.NodeReport | undefined {
    return this.host.reports()[0];
  }

  /** The sum of a counter over all intervals, or the last value of a gauge. */
  value(scope: fleet.TrafficScope, name: string, metric: TrafficMetricName): number {
    const { id, kind } = TRAFFIC_METRICS[metric];
    const values = this.intervals.map(({ series }) => {
      const found = series.find((one) => one.scope === scope && one.name === name);
      return Number(found?.values.find((value) => value.metric === id)?.value ?? 0n);
    });
    return kind === 'counter' ? values.reduce((sum, value) => sum + value, 0) : (values.at(-1) ?? 0);
  }

  /** The number of requests with a latency, over all intervals. */
  latencies(scope: fleet.TrafficScope, name: string): number {
    return this.intervals
      .flatMap(({ series }) => series.filter((one) => one.scope === scope && one.name === name))
      .flatMap(({ latency }) => latency?.counts ?? [])
      .reduce((sum, count) => sum + Number(count), 0);
  }

  /** Returns a function that does what the sender does every ten seconds, and resolves with the encoded message. */
  createReading(): () => Promise<Uint8Array> {
    const catalogs = new CatalogSource();
    const traffic = new ServiceTraffic({ reader: envoyReader, clock: systemClock });
    const spool = new TrafficSpool('bench');
    return async () => {
      const catalog = catalogs.get({ newest: this.snapshot, lastGood: this.snapshot });
      const interval = await traffic.read(this.host.envoys(), catalog);
      if (!interval) return new Uint8Array();
      spool.add(SERVICE, interval, systemClock.monotonic());
      const [report] = spool.due(systemClock.monotonic(), systemClock.now());
      spool.stored(create(fleet.TrafficStoredSchema, { serviceId: SERVICE, epoch: 'bench', seq: interval.seq }));
      return report ? toBinary(fleet.TrafficReportSchema, report) : new Uint8Array();
    };
  }

  /** Sends a request to the admin endpoint of Envoy. Resolves with the number of received bytes. */
  async fetchAdmin(path: string): Promise<number> {
    const socket = this.host.adminSocket(SERVICE);
    let size = 0;
    if (socket)
      await streamAdmin(socket, path, { timeoutMs: 60_000 }, (chunk) => {
        size += chunk.length;
      });
    return size;
  }

  async close(): Promise<void> {
    this.#sender.close();
    await this.#listeners.close();
    await this.#testHost.destroy();
  }

  #store({ serviceId, epoch, intervals }: fleet.TrafficReport): void {
    const newer = intervals.filter(({ seq }) => seq > (this.intervals.at(-1)?.seq ?? 0n));
    this.intervals.push(...newer);
    const seq = this.intervals.at(-1)?.seq ?? 0n;
    queueMicrotask(() => this.#sender.stored({ $typeName: 'flotilla.fleet.v1.TrafficStored', serviceId, epoch, seq }));
  }
}

function encode({ listeners, clusters }: MeasuredConfig, api: EnvoyApi): Snapshot {
  const part = (typeUrl: string, json: Record<string, JsonValue>) => {
    const encoded = api.encode(typeUrl.slice(typeUrl.indexOf('/') + 1), json);
    if (!encoded.ok) throw new Error(JSON.stringify(encoded.error));
    return { resource: createResource({ typeUrl, name: String(json.name) }, encoded.value) };
  };
  return createSnapshot([
    ...listeners.map((one) => part(RESOURCE_TYPE.listener, one)),
    ...clusters.map((one) => part(RESOURCE_TYPE.cluster, one)),
  ]);
}

export function clusterOf(name: string, ports: readonly number[], extra: Record<string, JsonValue> = {}) {
  const lb_endpoints = ports.map((port_value) => ({
    endpoint: { address: { socket_address: { address: '127.0.0.1', port_value } } },
  }));
  const load_assignment = { cluster_name: name, endpoints: [{ lb_endpoints }] };
  return { name, type: 'STATIC', connect_timeout: '1s', load_assignment, ...extra };
}

export function listenerOf(
  name: string,
  port: number,
  manager: { readonly prefix: string; readonly route: string; readonly host: Record<string, JsonValue> },
  extra: Record<string, JsonValue> = {},
) {
  const typed_config = {
    '@type': `${V3}.filters.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: manager.prefix,
    route_config: { name: manager.route, virtual_hosts: [{ domains: ['*'], ...manager.host }] },
    http_filters: [{ name: 'router', typed_config: { '@type': `${V3}.filters.http.router.v3.Router` } }],
  };
  const address = { socket_address: { address: '127.0.0.1', port_value: port } };
  return { name, address, filter_chains: [{ filters: [{ name: 'hcm', typed_config }] }], ...extra };
}
