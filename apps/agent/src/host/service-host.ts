import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type Clock, type Logger, readFileIfThere, systemClock } from '@flotilla/kit';
import { deriveServiceKey, fleet } from '@flotilla/proto';
import { controlService } from './control.ts';
import { readDesired, writeDesired } from './desired-file.ts';
import { createBaseIds } from './envoy/base-id.ts';
import { MigrationSwitch } from './envoy/migration-switch.ts';
import { Gate } from './gate.ts';
import { rotateLogs } from './log-rotation.ts';
import { findServiceKeys, ManagedService, removeRemains, type ServiceSurroundings } from './managed-service.ts';
import { SerialLoop } from './serial-loop.ts';
import { Settlement } from './settlement.ts';
import { createHostFacts } from './stats/host-facts.ts';
import { HostSampler } from './stats/host-sampler.ts';
import type {
  ControlAction,
  ControlOptions,
  ControlResult,
  InstalledVersion,
  PreparedService,
  ServiceHost,
  ServiceHostOptions,
  StartedEnvoy,
} from './types.ts';
import { createUnitRunner } from './units/create-runner.ts';
import type { UnitRunner } from './units/types.ts';

const RETRY_MS = 2_000;
const PARALLEL_SERVICES = 4;
const ROTATION_MS = 5_000;
const LOG_LIMIT_BYTES = 50 * 1024 * 1024;

/** Opens the host side: what an earlier agent left running is adopted in the background. */
export function createServiceHost(options: ServiceHostOptions): ServiceHost {
  const { mode, dirs, logger } = options;
  return openServiceHost(
    options,
    createUnitRunner({ dataDir: dirs.dataDir, mode }, logger.child({ component: 'units' })),
  );
}

/** The same over a given runner. */
export function openServiceHost(options: ServiceHostOptions, runner: UnitRunner): ServiceHost {
  return new Host(options, runner);
}

/**
 * Holds the desired state and the services.
 *
 * *Opening* first: the desired state of before is read and every service found on disk is adopted. Then each pass writes the
 * newest desired state to disk, opens services that it names, hands each its part, and removes the others. Services found on
 * disk are removed only by a desired state that was received or read, never for lack of one.
 */
class Host implements ServiceHost {
  readonly #options: ServiceHostOptions;
  readonly #logger: Logger;
  readonly #clock: Clock;
  readonly #runner: UnitRunner;
  readonly #services = new Map<string, ManagedService>();
  readonly #unopened = new Map<string, fleet.NodeReport>();
  readonly #gate = new Gate(PARALLEL_SERVICES);
  readonly #loop: SerialLoop;
  readonly #sampler: HostSampler;
  readonly #desiredFile: string;
  readonly #settlement = new Settlement((serviceId, generation) => this.#findSettled(serviceId, generation));
  readonly #reportListeners = new Set<(report: fleet.NodeReport) => void>();
  readonly #prepareListeners = new Set<(service: PreparedService) => Promise<void>>();
  readonly #removeListeners = new Set<(service: PreparedService) => Promise<void>>();
  readonly #startListeners = new Set<(envoy: StartedEnvoy) => void>();
  readonly #around: ServiceSurroundings;
  #desired: fleet.DesiredState | undefined;
  #written: fleet.DesiredState | undefined;
  /** The state that a pass has gone through: services that it does not name have left. */
  #done: fleet.DesiredState | undefined;
  #isOpen = false;
  readonly #rotation: NodeJS.Timeout;
  #rotating: Promise<void> = Promise.resolve();

  constructor(options: ServiceHostOptions, runner: UnitRunner) {
    this.#options = options;
    this.#logger = options.logger.child({ component: 'host' });
    this.#clock = options.clock ?? systemClock;
    this.#desiredFile = join(options.dirs.dataDir, 'desired.bin');
    this.#runner = runner;
    this.#runner.onEvent((event) => {
      for (const service of this.#services.values()) {
        if (service.layout.key === event.unit.serviceKey) service.noticeEvent(event);
      }
    });
    this.#sampler = new HostSampler(this.#clock);
    this.#around = {
      options,
      clock: this.#clock,
      logger: this.#logger,
      runner: this.#runner,
      baseIds: createBaseIds(options.dirs.dataDir),
      migration: new MigrationSwitch(),
      takenUids: () => new Set([...this.#services.values()].flatMap((one) => one.identity?.uid ?? [])),
      onPrepare: async (service) => {
        for (const listener of this.#prepareListeners) await listener(service);
      },
      onRemove: async (service) => {
        for (const listener of this.#removeListeners) await listener(service);
      },
      onStarted: (envoy) => {
        for (const listener of this.#startListeners) listener(envoy);
      },
      onReport: (report) => this.#tell(report),
    };
    this.#loop = new SerialLoop((signal) => this.#guardedPass(signal));
    this.#loop.wake();
    this.#rotation = setInterval(() => {
      this.#rotating = this.#rotating.then(() => this.#rotateLogs());
    }, ROTATION_MS);
    this.#rotation.unref();
  }

  setDesired(state: fleet.DesiredState): void {
    this.#desired = state;
    this.#loop.wake();
  }

  desiredRevision(): bigint {
    return this.#desired?.revision ?? 0n;
  }

  settled(serviceId: string, generation: bigint, signal?: AbortSignal): Promise<fleet.NodeReport> {
    return this.#settlement.wait(serviceId, generation, signal);
  }

  async control(serviceId: string, action: ControlAction, options: ControlOptions = {}): Promise<ControlResult> {
    const service = this.#services.get(serviceId);
    if (!service) return { ok: false, error: `service ${serviceId} is not on this host` };
    return controlService(service, action, {
      ...options,
      settled: () => this.settled(serviceId, this.#generationOf(serviceId), options.signal),
    });
  }

  reports(): fleet.NodeReport[] {
    return [...[...this.#services.values()].map((service) => service.report()), ...this.#unopened.values()];
  }

  onReport(listener: (report: fleet.NodeReport) => void): () => void {
    return subscribe(this.#reportListeners, listener);
  }

  adminSocket(serviceId: string): string | undefined {
    return this.#services.get(serviceId)?.adminSocket();
  }

  onServicePrepared(listener: (service: PreparedService) => Promise<void>): () => void {
    return subscribe(this.#prepareListeners, listener);
  }

  onServiceRemoved(listener: (service: PreparedService) => Promise<void>): () => void {
    return subscribe(this.#removeListeners, listener);
  }

  onEnvoyStarted(listener: (envoy: StartedEnvoy) => void): () => void {
    return subscribe(this.#startListeners, listener);
  }

  hostFacts(): fleet.HostFacts {
    return createHostFacts(this.#options);
  }

  hostStats(): Promise<fleet.HostStats> {
    const processes = [...this.#services.values()].flatMap((service) =>
      service.processes().map(({ kind, pid }) => ({ serviceId: service.serviceId, kind, pid })),
    );
    return this.#sampler.sample(processes);
  }

  async shieldCounters(): Promise<fleet.ShieldCounters[]> {
    return (await Promise.all([...this.#services.values()].map(({ filter }) => filter.counters()))).flat();
  }

  async shieldEvents(isFull: (serviceId: string) => boolean): Promise<fleet.ShieldEvents[]> {
    const asked = [...this.#services.values()].filter(({ serviceId }) => !isFull(serviceId));
    return (await Promise.all(asked.map(({ filter }) => filter.events()))).flat();
  }

  async checkFilters(): Promise<void> {
    await Promise.all([...this.#services.values()].map(({ filter }) => filter.checkHealth()));
  }

  async installVersion(version: string, catalogEntry?: { readonly url: string; readonly sha256: string }) {
    const { envoyDist } = this.#options;
    const installed = catalogEntry
      ? await envoyDist.installFromCatalogEntry({ version, ...catalogEntry })
      : await envoyDist.ensure(version);
    if (!installed.ok) return { ok: false as const, error: installed.error.message };
    return {
      ok: true as const,
      value: { version: installed.value.version, path: installed.value.path, source: installed.value.source },
    };
  }

  async versions(): Promise<InstalledVersion[]> {
    const all = await this.#options.envoyDist.list();
    return all.map(({ version, path, source }) => ({ version, path, source }));
  }

  async close(options: { readonly stopServices: boolean }): Promise<void> {
    clearInterval(this.#rotation);
    await Promise.all([this.#loop.close(), this.#rotating]);
    const how = options.stopServices ? 'stop' : 'leave';
    const closed = await Promise.allSettled([...this.#services.values()].map((service) => service.close(how)));
    await this.#runner.close();
    const failed = closed.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    if (failed.length > 0) throw new AggregateError(failed, 'closing services failed');
  }

  async #guardedPass(signal: AbortSignal): Promise<number | undefined> {
    try {
      if (!this.#isOpen) await this.#open();
      return await this.#pass(signal);
    } catch (error) {
      this.#logger.error({ event: 'host.converge_failed', err: error }, 'cannot bring the host to its desired state');
      return RETRY_MS;
    }
  }

  async #open(): Promise<void> {
    const { dirs } = this.#options;
    await mkdir(dirs.dataDir, { recursive: true, mode: 0o711 });
    for (const name of ['services', 'units']) await mkdir(join(dirs.dataDir, name), { recursive: true, mode: 0o711 });
    await mkdir(dirs.runtimeDir, { recursive: true, mode: 0o711 });
    this.#desired ??= await readDesired(this.#desiredFile, this.#logger);
    for (const key of await findServiceKeys(dirs.dataDir)) {
      const path = join(dirs.dataDir, 'services', key, 'state.json');
      const owner = readOwner(await readFileIfThere(path));
      if (owner && deriveServiceKey(owner.serviceId) === key) await this.#hold(owner.serviceId, owner.nodeId);
      else if (this.#desired && !this.#desired.services.some((one) => deriveServiceKey(one.serviceId) === key)) {
        await removeRemains(dirs, key);
      }
    }
    await this.#around.baseIds.sweep(new Set([...this.#services.values()].flatMap((one) => one.envoy.set.baseIds)));
    this.#isOpen = true;
  }

  async #pass(signal: AbortSignal): Promise<number | undefined> {
    const desired = this.#desired;
    if (!desired) return undefined;
    if (this.#written !== desired) {
      await writeDesired(this.#desiredFile, desired);
      this.#written = desired;
    }
    const wanted = new Map(desired.services.map((service) => [service.serviceId, service]));
    for (const serviceId of this.#unopened.keys()) if (!wanted.has(serviceId)) this.#unopened.delete(serviceId);
    const leaving = [...this.#services.values()].filter((service) => !wanted.has(service.serviceId));
    const work = [
      ...leaving.map((service) => () => this.#remove(service)),
      ...[...wanted.values()].map((service) => async () => {
        const held = await this.#holdOrTell(service);
        if (!signal.aborted) held.want(service);
      }),
    ];
    const done = await Promise.allSettled(work.map((one) => this.#gate.run(one)));
    const failed = done.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    if (failed.length === 0) this.#done = desired;
    this.#settlement.check();
    if (failed.length === 0) return undefined;
    this.#logger.error({ event: 'host.services_failed', err: failed[0], count: failed.length }, 'trying again');
    return RETRY_MS;
  }

  async #rotateLogs(): Promise<void> {
    const limit = this.#options.logLimitBytes ?? LOG_LIMIT_BYTES;
    for (const { layout, serviceId } of this.#services.values()) {
      await rotateLogs(layout, limit).catch((error: unknown) => {
        this.#logger.warn({ event: 'log.rotation_failed', service: serviceId, err: error }, 'logs are not cut');
      });
    }
  }

  async #hold(serviceId: string, nodeId: string): Promise<ManagedService> {
    const held = this.#services.get(serviceId);
    if (held) return held;
    const opened = await ManagedService.open(this.#around, serviceId, nodeId);
    this.#services.set(serviceId, opened);
    return opened;
  }

  /** A service that cannot even be opened (a folder that cannot be made) is reported as failed and tried again. */
  async #holdOrTell({ serviceId, nodeId }: fleet.DesiredService): Promise<ManagedService> {
    try {
      const held = await this.#hold(serviceId, nodeId);
      this.#unopened.delete(serviceId);
      return held;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const report = create(fleet.NodeReportSchema, { serviceId, phase: fleet.NodePhase.FAILED, error: reason });
      this.#unopened.set(serviceId, report);
      this.#tell(report);
      throw error;
    }
  }

  async #remove(service: ManagedService): Promise<void> {
    await service.remove();
    this.#services.delete(service.serviceId);
  }

  #generationOf(serviceId: string): bigint {
    return this.#desired?.services.find((one) => one.serviceId === serviceId)?.generation ?? 0n;
  }

  #tell(report: fleet.NodeReport): void {
    for (const listener of this.#reportListeners) listener(report);
    this.#settlement.check();
  }

  #findSettled(serviceId: string, generation: bigint): fleet.NodeReport | undefined {
    const service = this.#services.get(serviceId);
    const isWanted = !this.#isOpen || this.#desired?.services.some((one) => one.serviceId === serviceId) === true;
    const report = service?.isSettled(generation) ? service.report() : undefined;
    if (report && (isWanted || report.removed)) return report;
    const failed = this.#unopened.get(serviceId);
    if (failed && isWanted) return failed;
    const isGone = !service && !isWanted && this.#done === this.#desired;
    const phase = fleet.NodePhase.STOPPED;
    return isGone ? create(fleet.NodeReportSchema, { serviceId, generation, phase, removed: true }) : undefined;
  }
}

function readOwner(bytes: Buffer | undefined): { serviceId: string; nodeId: string } | undefined {
  try {
    const { serviceId, nodeId } = JSON.parse(bytes?.toString() ?? 'null') as { serviceId?: unknown; nodeId?: unknown };
    return typeof serviceId === 'string' ? { serviceId, nodeId: typeof nodeId === 'string' ? nodeId : '' } : undefined;
  } catch {
    return undefined;
  }
}

function subscribe<T>(listeners: Set<T>, listener: T): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
