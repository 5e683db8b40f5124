import { type Logger, systemClock } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { Capability } from '@flotilla/proto/commands';
import { HostAppliance } from '../appliance/index.ts';
import { HostInventory } from '../facts/host-inventory.ts';
import { createLookups } from '../facts/lookups.ts';
import { HaMember, haPlaces } from '../ha/index.ts';
import { FORWARDER_KEYS, forwarderLogDir, LogForwarding } from '../log-forwarding/index.ts';
import type { LogTarget } from '../logs/read-logs.ts';
import { agentLogDir, agentTarget, hostTarget, routingTarget, serviceTarget } from '../logs/targets.ts';
import { FRR_PATHS } from '../routing/frr-paths.ts';
import { RoutingSuite } from '../routing/routing-suite.ts';
import { controlService } from './control.ts';
import { createBaseIds } from './envoy/base-id.ts';
import { MigrationSwitch } from './envoy/migration-switch.ts';
import { Listeners } from './listeners.ts';
import { LogRotation } from './log-rotation.ts';
import { Membership } from './membership.ts';
import type { ServiceSocket } from './service-socket.ts';
import { ServiceUsers } from './service-users.ts';
import { type BundleFiles, readBundleFiles } from './shield/bundle-files.ts';
import { createHostFacts } from './stats/host-facts.ts';
import { HostSampler } from './stats/host-sampler.ts';
import { SampleHistory } from './stats/sample-history.ts';
import { ConnectionOwners } from './tcp-owner.ts';
import type {
  ControlAction,
  ControlOptions,
  ControlResult,
  EnvoyHandle,
  LogRequest,
  PreparedService,
  ServiceHost,
  ServiceHostOptions,
} from './types.ts';
import { createUnitRunner } from './units/create-runner.ts';
import type { UnitRunner } from './units/types.ts';
import { findVersionUsers } from './versions/find-users.ts';
import { wafModuleFile } from './versions/module-file.ts';
import type { ArchiveOffer, VersionKind } from './versions/types.ts';
import { VersionStores } from './versions/version-stores.ts';

/** Opens the host part of the agent. Adopts the running programs of an earlier agent in the background. */
export function createServiceHost(options: ServiceHostOptions): ServiceHost {
  const { mode, dirs, logger } = options;
  return openServiceHost(
    options,
    createUnitRunner({ dataDir: dirs.dataDir, mode }, logger.child({ component: 'units' })),
  );
}

/** Opens the host part with the given runner. */
export function openServiceHost(options: ServiceHostOptions, runner: UnitRunner): ServiceHost {
  return new Host(options, runner);
}

const VERSION_QUOTA_BYTES = 4 * 1024 ** 3;

/** Connects the parts of the host. */
class Host implements ServiceHost {
  readonly #options: ServiceHostOptions;
  readonly #runner: UnitRunner;
  readonly #membership: Membership;
  readonly #sampler: HostSampler;
  readonly #inventory: HostInventory;
  readonly #history = new SampleHistory();
  readonly #rotation: LogRotation;
  readonly #reported = new Listeners<fleet.NodeReport>();
  readonly #prepared = new Listeners<PreparedService, Promise<void>>();
  readonly #removed = new Listeners<PreparedService, Promise<void>>();
  readonly versions: VersionStores;
  #routing: Promise<RoutingSuite> | undefined;
  readonly logForwarding: LogForwarding;
  readonly appliance: HostAppliance;
  readonly ha: HaMember;

  constructor(options: ServiceHostOptions, runner: UnitRunner) {
    const logger = options.logger.child({ component: 'host' });
    const { clock = systemClock } = options;
    this.#options = options;
    this.#runner = runner;
    this.logForwarding = new LogForwarding({
      dataDir: options.dirs.dataDir,
      runner,
      logger,
      flotillaCommand: options.flotillaCommand,
      checkMs: options.forwarderCheckMs,
    });
    this.ha = this.#createHa(logger);
    this.#runner.onEvent((event) => {
      this.logForwarding.noticeEvent(event);
      this.ha.noticeEvent(event);
      for (const service of this.#membership.services) {
        if (service.layout.key === event.unit.serviceKey) service.noticeEvent(event);
      }
    });
    this.#sampler = new HostSampler(clock);
    this.#inventory = new HostInventory(createLookups({ ...options, shared: () => this.ha.addresses }), logger);
    this.versions = new VersionStores({
      envoyDist: options.envoyDist,
      modules: options.modules,
      quotaBytes: options.versionQuotaBytes ?? VERSION_QUOTA_BYTES,
      isShared: options.sharesEnvoys ?? false,
      opened: () => this.#membership.opened,
      findUsers: (kind, version) => this.#findUsers(kind, version),
      logger,
    });
    this.#membership = new Membership({
      options,
      ensureEnvoy: (version) => this.versions.ensure(version, this.#findOffer(version)),
      clock,
      logger,
      runner,
      baseIds: createBaseIds(options.dirs.dataDir),
      migration: new MigrationSwitch(),
      users: new ServiceUsers({ dataDir: options.dirs.dataDir, logger }),
      owners: new ConnectionOwners(),
      onPrepare: (service) => this.#prepared.notifyInTurn(service),
      onRemove: (service) => this.#removed.notifyInTurn(service),
      onReport: (report) => {
        this.#reported.notify(report);
        this.ha.noticeReport(report);
      },
      onStored: (state) => this.ha.want(state),
    });
    this.appliance = this.#createAppliance(logger);
    this.#rotation = new LogRotation({
      list: () => this.#membership.services,
      folders: listLogFolders(options.dirs.dataDir),
      limitBytes: options.logLimitBytes,
      logger,
    });
  }

  #createHa(logger: Logger): HaMember {
    const { dirs, flotillaCommand, agentVersion: version } = this.#options;
    const runner = this.#runner;
    const reports = () => this.reports();
    return new HaMember({ dataDir: dirs.dataDir, runner, logger, flotillaCommand, version, reports });
  }

  #createAppliance(logger: Logger): HostAppliance {
    const {
      dirs,
      flotillaCommand,
      agentVersion = '',
      root = '/',
      frr = FRR_PATHS,
      clock = systemClock,
    } = this.#options;
    return new HostAppliance({
      ...this.#options.supportBundles,
      dataDir: dirs.dataDir,
      root,
      flotillaCommand,
      agentVersion,
      vtysh: frr.vtysh,
      journalCommand: this.#options.journalCommand ?? ['journalctl'],
      live: {
        reports: () => this.reports(),
        services: () => this.#membership.services.map(({ serviceId, layout }) => ({ serviceId, ...layout })),
        adminSocket: (serviceId) => this.adminSocket(serviceId),
      },
      installed: async () => {
        const [envoys, modules] = await Promise.all([this.versions.list('envoy'), this.versions.list('waf')]);
        const toComponent = (name: string) => (one: { readonly version: string; readonly path: string }) => ({
          name,
          version: one.version,
          source: one.path,
        });
        return [...envoys.map(toComponent('envoy')), ...modules.map(toComponent('coraza.wasm'))];
      },
      lacks: (capability) => this.lacks(capability),
      clock,
      logger: logger.child({ component: 'appliance' }),
    });
  }

  setDesired(state: fleet.DesiredState): void {
    this.#membership.setDesired(state);
  }

  leavePair(): void {
    const { desired } = this.#membership;
    if (desired?.ha) this.setDesired({ ...desired, ha: undefined });
  }

  settled(serviceId: string, generation: bigint, signal?: AbortSignal): Promise<fleet.NodeReport> {
    return this.#membership.settled(serviceId, generation, signal);
  }

  async control(serviceId: string, action: ControlAction, options: ControlOptions = {}): Promise<ControlResult> {
    const service = this.#membership.get(serviceId);
    if (!service) return { ok: false, error: `service ${serviceId} is not on this host` };
    return controlService(service, action, {
      ...options,
      settled: () => this.settled(serviceId, this.#membership.generationOf(serviceId), options.signal),
    });
  }

  routing(): Promise<RoutingSuite> {
    const { dirs, logger, frr: paths = FRR_PATHS } = this.#options;
    this.#routing ??= RoutingSuite.open({ paths, dataDir: dirs.dataDir, logger });
    return this.#routing;
  }

  logTarget(request: LogRequest): LogTarget | undefined {
    const { dirs, journalCommand = ['journalctl'] } = this.#options;
    switch (request.of) {
      case 'agent':
        return agentTarget(dirs.dataDir);
      case 'host':
        return hostTarget(journalCommand);
      case 'routing':
        return routingTarget(journalCommand);
      case 'syslog':
      case 'logshipper':
        return this.logForwarding.logTarget(request.of);
      case 'service': {
        const service = this.#membership.get(request.serviceId);
        return service && serviceTarget(service.layout, request.logType);
      }
    }
  }

  reports(): fleet.NodeReport[] {
    return this.#membership.reports();
  }

  onReport(listener: (report: fleet.NodeReport) => void): () => void {
    return this.#reported.add(listener);
  }

  adminSocket(serviceId: string): ServiceSocket | undefined {
    return this.#membership.get(serviceId)?.adminSocket();
  }

  envoys(): EnvoyHandle[] {
    return this.#membership.services.flatMap((service) => service.envoys());
  }

  showListeners(serviceId: string, pid: number, listeners: readonly fleet.ListenerState[]): void {
    this.#membership.get(serviceId)?.showListeners(pid, listeners);
  }

  onServicePrepared(listener: (service: PreparedService) => Promise<void>): () => void {
    return this.#prepared.add(listener);
  }

  onServiceRemoved(listener: (service: PreparedService) => Promise<void>): () => void {
    return this.#removed.add(listener);
  }

  hostFacts(): fleet.HostFacts {
    return createHostFacts(this.#options, this.#inventory.current);
  }

  factsKnown(): Promise<void> {
    return this.#inventory.known;
  }

  onFacts(listener: () => void): () => void {
    return this.#inventory.onChange(listener);
  }

  lacks(capability: Capability): string | undefined {
    return this.#inventory.lacks(capability);
  }

  async hostStats(): Promise<fleet.HostStats> {
    const processes = this.#membership.services.flatMap((service) =>
      service.processes().map(({ kind, pid }) => ({ serviceId: service.serviceId, kind, pid })),
    );
    const sample = await this.#sampler.sample(processes);
    this.#history.add(sample);
    return sample;
  }

  recentHostStats(count: number): readonly fleet.HostStats[] {
    return this.#history.newest(count);
  }

  policyFiles(serviceId: string): Promise<BundleFiles> {
    const service = this.#membership.get(serviceId);
    return service ? readBundleFiles(service.layout.policyDir) : Promise.resolve({ files: [], total: 0 });
  }

  async shieldCounters(): Promise<fleet.ShieldCounters[]> {
    return (await Promise.all(this.#membership.services.map(({ filter }) => filter.counters()))).flat();
  }

  async shieldEvents(isFull: (serviceId: string) => boolean): Promise<fleet.ShieldEvents[]> {
    const asked = this.#membership.services.filter(({ serviceId }) => !isFull(serviceId));
    return (await Promise.all(asked.map(({ filter }) => filter.events()))).flat();
  }

  async checkFilters(): Promise<void> {
    await Promise.all(this.#membership.services.map(({ filter }) => filter.checkHealth()));
  }

  async #findUsers(kind: VersionKind, version: string): Promise<readonly string[]> {
    const { desired, services } = this.#membership;
    const { dataDir } = this.#options.dirs;
    return findVersionUsers(kind, version, { desired, services, pathOf: (one) => wafModuleFile(dataDir, one) });
  }

  /** The offer of the archive for a version that a service should run. */
  #findOffer(version: string): ArchiveOffer | undefined {
    const wanted = this.#membership.desired?.services.filter((one) => one.envoyVersion === version) ?? [];
    const offer = wanted.find(({ envoyOffer }) => envoyOffer)?.envoyOffer;
    if (!offer) return undefined;
    return offer.missing === '' ? { url: offer.url, sha256: offer.sha256 } : { missing: offer.missing };
  }

  async close(options: { readonly stopServices: boolean }): Promise<void> {
    await Promise.all([
      this.#membership.close(),
      this.#rotation.close(),
      this.#inventory.close(),
      this.appliance.close(),
    ]);
    const how = options.stopServices ? 'stop' : 'leave';
    await Promise.all([this.logForwarding.close(how), this.ha.close(how)]);
    const closed = await Promise.allSettled(this.#membership.services.map((service) => service.close(how)));
    await this.#runner.close();
    const failed = closed.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    if (failed.length > 0) throw new AggregateError(failed, `${failed.length} services could not be closed`);
  }
}

/** Folders with logs that belong to no service. */
function listLogFolders(dataDir: string): string[] {
  const forwarders = FORWARDER_KEYS.map((key) => forwarderLogDir(dataDir, key));
  return [agentLogDir(dataDir), ...forwarders, haPlaces(dataDir).logDir];
}
