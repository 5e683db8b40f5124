import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { ok } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { Capability } from '@flotilla/proto/commands';
import type {
  ControlAction,
  ControlResult,
  EnvoyHandle,
  HostVersions,
  InstalledVersion,
  LogRequest,
  PreparedService,
  ServiceHost,
  ServiceSocket,
} from '../host/index.ts';
import type { ForwarderControl } from '../log-forwarding/index.ts';
import type { LogTarget } from '../logs/read-logs.ts';
import type { RoutingSuite } from '../routing/routing-suite.ts';
import { FakeAppliance } from './fake-appliance.ts';
import { FakeHa } from './fake-ha.ts';

const INSTALLED: InstalledVersion = {
  version: '1.39.3',
  path: '/envoy',
  source: 'cache',
  sha256: 'ab',
  bytes: 3,
  installedBy: '',
  usedBy: [],
};

/** A host in memory. The test settles services, and `done` lists the actions. */
export class FakeHost implements ServiceHost {
  readonly done: string[] = [];
  readonly states = new Map<string, fleet.NodeReport>();
  desired: fleet.DesiredState | undefined;
  /** Runs during an action, after `done` contains the action. */
  during: (action: string) => Promise<void> = () => Promise.resolve();
  readonly #reportListeners = new Set<(report: fleet.NodeReport) => void>();
  readonly #prepareListeners = new Set<(service: PreparedService) => Promise<void>>();
  readonly #removeListeners = new Set<(service: PreparedService) => Promise<void>>();
  readonly #waiters = new Set<() => void>();
  admin: ServiceSocket | undefined;

  setDesired(state: fleet.DesiredState): void {
    this.desired = state;
  }

  leavePair(): void {
    this.done.push('leave the pair');
  }

  /** Reports that the service has converged to the generation. */
  settle(serviceId: string, generation: bigint, fields: { error?: string; removed?: boolean } = {}): void {
    const phase = fields.error ? fleet.NodePhase.FAILED : fleet.NodePhase.RUNNING;
    const report = create(fleet.NodeReportSchema, { serviceId, generation, phase, ...fields });
    this.states.set(serviceId, report);
    for (const listener of this.#reportListeners) listener(report);
    for (const wake of this.#waiters) wake();
  }

  async settled(serviceId: string, generation: bigint, signal?: AbortSignal): Promise<fleet.NodeReport> {
    const { promise, resolve, reject } = Promise.withResolvers<fleet.NodeReport>();
    const look = () => {
      const report = this.states.get(serviceId);
      if (report && report.generation >= generation) resolve(report);
    };
    this.#waiters.add(look);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
    look();
    try {
      return await promise;
    } finally {
      this.#waiters.delete(look);
    }
  }

  /** The logs of the host, by `of` or the id of the service. */
  readonly logs = new Map<string, LogTarget>();

  logTarget(request: LogRequest): LogTarget | undefined {
    return this.logs.get(request.of === 'service' ? request.serviceId : request.of);
  }

  async control(serviceId: string, action: ControlAction): Promise<ControlResult> {
    this.done.push(`${action} ${serviceId}`);
    await this.during(action);
    return { ok: true };
  }

  reports(): fleet.NodeReport[] {
    return [...this.states.values()];
  }

  onReport(listener: (report: fleet.NodeReport) => void): () => void {
    this.#reportListeners.add(listener);
    return () => this.#reportListeners.delete(listener);
  }

  adminSocket(): ServiceSocket | undefined {
    return this.admin;
  }

  async prepare(service: PreparedService): Promise<void> {
    for (const listener of this.#prepareListeners) await listener(service);
  }

  async remove(service: PreparedService): Promise<void> {
    for (const listener of this.#removeListeners) await listener(service);
  }

  onServicePrepared(listener: (service: PreparedService) => Promise<void>): () => void {
    this.#prepareListeners.add(listener);
    return () => this.#prepareListeners.delete(listener);
  }

  onServiceRemoved(listener: (service: PreparedService) => Promise<void>): () => void {
    this.#removeListeners.add(listener);
    return () => this.#removeListeners.delete(listener);
  }

  facts: MessageInitShape<typeof fleet.HostFactsSchema> = {};
  readonly #factsListeners = new Set<() => void>();

  hostFacts(): fleet.HostFacts {
    return create(fleet.HostFactsSchema, {
      name: 'edge',
      hostname: 'edge.example.com',
      os: 'linux',
      arch: 'linux-amd64',
      ...this.facts,
    });
  }

  factsKnown(): Promise<void> {
    return Promise.resolve();
  }

  onFacts(listener: () => void): () => void {
    this.#factsListeners.add(listener);
    return () => this.#factsListeners.delete(listener);
  }

  changeFacts(facts: FakeHost['facts']): void {
    this.facts = facts;
    for (const listener of this.#factsListeners) listener();
  }

  /** The advice for each capability that the host lacks. */
  readonly lacking = new Map<Capability, string>();

  lacks(capability: Capability): string | undefined {
    return this.lacking.get(capability);
  }

  hostStats(): Promise<fleet.HostStats> {
    return Promise.resolve(
      create(fleet.HostStatsSchema, { atMs: 1n, cores: 2, memoryTotalBytes: 4n, memoryUsedBytes: 1n }),
    );
  }

  recentHostStats(count: number): readonly fleet.HostStats[] {
    return Array.from({ length: count }, (_, n) => create(fleet.HostStatsSchema, { atMs: BigInt(n), cores: 2 }));
  }

  policyFiles() {
    return Promise.resolve({ files: [{ path: 'guard.yaml', bytes: 3, sha256: 'ab' }], total: 1 });
  }

  /** Counters of the host's filters. */
  counters: fleet.ShieldCounters[] = [];

  shieldCounters(): Promise<fleet.ShieldCounters[]> {
    return Promise.resolve(this.counters);
  }

  /** Unread findings of the host's filters. */
  events: fleet.ShieldEvents[] = [];

  shieldEvents(isFull: (serviceId: string) => boolean): Promise<fleet.ShieldEvents[]> {
    const read = this.events.filter(({ serviceId }) => !isFull(serviceId));
    this.events = this.events.filter((one) => !read.includes(one));
    return Promise.resolve(read);
  }

  /** Envoys of the host. */
  handles: EnvoyHandle[] = [];

  envoys(): EnvoyHandle[] {
    return this.handles;
  }

  /** Listeners that were shown, by service. */
  readonly shown = new Map<string, readonly fleet.ListenerState[]>();

  showListeners(serviceId: string, _pid: number, listeners: readonly fleet.ListenerState[]): void {
    this.shown.set(serviceId, listeners);
  }

  checkFilters(): Promise<void> {
    return Promise.resolve();
  }

  /** The answer of the next install. */
  installing: Awaited<ReturnType<HostVersions['install']>> = ok({ installed: INSTALLED, removed: [] });
  removing: Awaited<ReturnType<HostVersions['remove']>> = ok(true);

  readonly versions: HostVersions = {
    list: () => Promise.resolve([INSTALLED]),
    install: async ({ kind, version, force, offer }) => {
      const from = offer === undefined ? 'elsewhere' : 'missing' in offer ? 'nowhere' : offer.url;
      this.done.push(`install ${kind} ${version} from ${from}${force ? ' again' : ''}`);
      await this.during('install');
      return this.installing;
    },
    remove: (kind, version) => {
      this.done.push(`remove ${kind} ${version}`);
      return Promise.resolve(this.removing);
    },
  };

  readonly appliance = new FakeAppliance();

  readonly ha = new FakeHa();

  /** FRR of this host. */
  suite: RoutingSuite | undefined;

  routing(): Promise<RoutingSuite> {
    return this.suite ? Promise.resolve(this.suite) : Promise.reject(new Error('this host has no FRR'));
  }

  /** The configurations of the forwarders, as commands set them. */
  readonly forwarded = new Map<string, unknown>();

  readonly logForwarding = {
    syslog: this.#fakeForwarder('syslog'),
    logshipper: this.#fakeForwarder('logshipper'),
  };

  #fakeForwarder(key: string): ForwarderControl {
    const act = (what: string) => {
      this.done.push(`${what} ${key}`);
      return Promise.resolve(ok(undefined));
    };
    return {
      update: (value) => {
        this.forwarded.set(key, value);
        return act('update');
      },
      setWanted: (wanted) => act(wanted),
      restart: () => act('restart'),
      masked: () => Promise.resolve(null),
      status: () =>
        Promise.resolve({
          configured: this.forwarded.get(key) != null,
          wanted: 'running',
          pid: 1,
          program: 'rsyslog',
          revision: 1,
          error: null,
          restored: null,
          counters: null,
        }),
    };
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
