import type { Clock, Logger } from '@flotilla/kit';
import { fleet, type ServiceLayout } from '@flotilla/proto';
import { AdminForwarder } from './admin-forwarder.ts';
import { deriveReport } from './derive-report.ts';
import type { BaseIds } from './envoy/base-id.ts';
import { EnvoyConverger } from './envoy/envoy-converger.ts';
import { EnvoySet } from './envoy/envoy-set.ts';
import { ENVOY_DRAIN } from './envoy/instance.ts';
import type { MigrationSwitch } from './envoy/migration-switch.ts';
import { removeFolders } from './folders.ts';
import type { ServiceIdentity } from './identity.ts';
import { openServiceHome, type ServiceHome } from './service-home.ts';
import { pointEnvoyAdmin } from './shield/envoy-admin-link.ts';
import { FilterReader } from './shield/read-filter.ts';
import { ShieldConverger } from './shield/shield-converger.ts';
import type { PreparedService, ServiceHostOptions } from './types.ts';
import type { UnitEvent, UnitRunner } from './units/types.ts';

/** What all services of a host share. */
export interface ServiceSurroundings {
  readonly options: ServiceHostOptions;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly runner: UnitRunner;
  readonly baseIds: BaseIds;
  readonly migration: MigrationSwitch;
  readonly takenUids: () => ReadonlySet<number>;
  readonly onPrepare: (service: PreparedService) => Promise<void>;
  readonly onRemove: (service: PreparedService) => Promise<void>;
  readonly onReport: (report: fleet.NodeReport) => void;
}

/**
 * One service on this host: its folders, its Envoy, its filter, its admin port.
 * *Held* from the moment a desired state names it (or its folder is found after a restart); *leaving* once `remove` is called:
 * programs end first, then folders go; *gone* after that, for good.
 */
export class ManagedService {
  readonly layout: ServiceLayout;
  readonly envoy: EnvoyConverger;
  readonly shield: ShieldConverger;
  /** What the filter counts, finds and says of itself. */
  readonly filter: FilterReader;
  readonly #around: ServiceSurroundings;
  readonly #home: ServiceHome;
  readonly #admin: AdminForwarder;
  #desired: fleet.DesiredService | undefined;
  #preparing: Promise<void> | undefined;
  #sinceMs: number;
  #lastPhase: fleet.NodePhase | undefined;
  #leaving = false;
  #removed = false;

  private constructor(around: ServiceSurroundings, home: ServiceHome) {
    const { options, baseIds, migration, clock } = around;
    const { serviceId, layout } = home;
    this.#around = around;
    this.#home = home;
    this.layout = layout;
    this.#sinceMs = clock.now();
    const logger = around.logger.child({ service: serviceId });
    this.#admin = new AdminForwarder({ logger, target: () => this.adminSocket() });
    const shared = {
      ...home,
      dataDir: options.dirs.dataDir,
      runner: around.runner,
      logger,
      prepare: () => this.#prepare(),
      onStatus: () => this.#changed(),
    };
    const { drain = ENVOY_DRAIN, liveTimeoutMs = 60_000 } = options;
    // systemd starts a unit again with the command line it has: only one without a parent can be repeated
    const replacement = around.runner.kind === 'systemd' ? 'beside' : (options.replacement ?? 'auto');
    const set = new EnvoySet({
      ...shared,
      baseIds,
      migration,
      drain,
      liveTimeoutMs,
      clock,
    });
    this.envoy = new EnvoyConverger({
      ...shared,
      envoyDist: options.envoyDist,
      set,
      replacement: { serviceKey: layout.key, migration, drain, replacement, logger },
    });
    this.shield = new ShieldConverger({
      ...shared,
      flotillaCommand: options.flotillaCommand,
      onEnding: () => this.filter.readLast(),
    });
    this.filter = new FilterReader({
      adminSocket: layout.shieldAdminSocket,
      serviceId,
      showEnvoy: () => pointEnvoyAdmin(layout, this.adminSocket()),
      isRunning: () => this.shield.status.running,
      onHealth: () => this.#changed(),
    });
  }

  /** Takes over what an earlier agent left running of it. Rejects where its folders cannot be made. */
  static async open(around: ServiceSurroundings, serviceId: string, nodeId: string): Promise<ManagedService> {
    const { options, logger } = around;
    const takenUids = around.takenUids();
    const home = await openServiceHome({ ...options, logger, serviceId, nodeId, takenUids });
    const service = new ManagedService(around, home);
    await service.envoy.set.adopt();
    await service.shield.adopt();
    return service;
  }

  get serviceId(): string {
    return this.#home.serviceId;
  }

  get identity(): ServiceIdentity | undefined {
    return this.#home.identity;
  }

  get nodeId(): string {
    return this.#home.state.value.nodeId;
  }

  get isStopped(): boolean {
    return this.#desired?.runState === fleet.RunState.STOPPED;
  }

  want(service: fleet.DesiredService): void {
    this.#desired = service;
    this.#admin.listen(service.adminPort);
    this.envoy.want(service);
    this.shield.want(service);
  }

  adminSocket(): string | undefined {
    return this.envoy.set.serving?.adminSocket;
  }

  noticeEvent(event: UnitEvent): void {
    const { name } = event.unit;
    if (name.startsWith('shield-')) {
      this.shield.noticeExit();
      return;
    }
    if (event.type === 'exited') {
      this.envoy.noticeExit(name);
      return;
    }
    this.envoy.set.noticeRestart(name);
    if (this.envoy.set.serving?.unit === name) this.envoy.noticeRestart();
  }

  isSettled(generation: bigint): boolean {
    return this.#removed || (this.envoy.status.settled >= generation && this.shield.status.settled >= generation);
  }

  report(): fleet.NodeReport {
    const { set, status: envoy } = this.envoy;
    const { serving } = set;
    const process = serving && set.processOf(serving);
    return deriveReport({
      serviceId: this.serviceId,
      desiredGeneration: this.#desired?.generation,
      persistedGeneration: BigInt(this.#home.state.value.appliedGeneration),
      envoy,
      serving: serving && { ...serving.spec, pid: process?.pid },
      shield: this.shield.status,
      shieldHealth: this.filter.health,
      isRemoved: this.#removed,
      sinceMs: this.#sinceMs,
    });
  }

  /** Programs of this service that run now. */
  processes(): Array<{ kind: 'envoy' | 'shield'; name: string; pid: number; role: string; version: string }> {
    const units = [this.envoy.set.serving, this.envoy.set.starting, ...this.envoy.set.draining].flatMap((instance) => {
      const process = instance ? this.envoy.set.processOf(instance) : undefined;
      if (!instance || !process) return [];
      const { unit: name, role, spec } = instance;
      return [{ kind: 'envoy' as const, name, pid: process.pid, role, version: spec.version }];
    });
    const name = this.#home.state.value.shield?.unit ?? '';
    const filter = this.#around.runner.find({ serviceKey: this.layout.key, name });
    const filters = filter ? [{ kind: 'shield' as const, name, pid: filter.pid, role: 'serving', version: '' }] : [];
    return [...units, ...filters];
  }

  /** Leaves nothing behind: no process, socket, port, shared memory, file or credential. */
  async remove(): Promise<void> {
    this.#leaving = true;
    await this.#closeLoops();
    await this.envoy.set.stopAll();
    await this.shield.stop();
    const { runner } = this.#around;
    for (const name of (await runner.list(this.layout.key)).keys()) {
      await runner.stop({ serviceKey: this.layout.key, name }, 0);
    }
    await runner.removeService(this.layout.key);
    await this.#around.onRemove(this.#prepared());
    await this.#home.state.flush();
    await removeFolders(this.layout);
    this.#removed = true;
    this.#changed();
  }

  /** Lets go of the service. Its programs run on unless `stopPrograms`. */
  async close(stopPrograms: 'stop' | 'leave'): Promise<void> {
    await this.#closeLoops();
    if (stopPrograms === 'leave') return;
    await Promise.all([this.envoy.set.stopAll(), this.shield.stop()]);
  }

  async #closeLoops(): Promise<void> {
    await Promise.all([this.envoy.loop.close(), this.shield.loop.close(), this.#admin.close()]);
  }

  /** Once per agent and service; a failure is tried again with the next pass. */
  async #prepare(): Promise<void> {
    const { closedFolder } = this.#home;
    if (closedFolder !== undefined) {
      throw new Error(
        `the user of service ${this.serviceId} cannot pass through ${closedFolder}: give the agent data and runtime folders that others may pass through, or open that one (chmod o+x)`,
      );
    }
    this.#preparing ??= this.#around.onPrepare(this.#prepared()).catch((error: unknown) => {
      this.#preparing = undefined;
      throw error;
    });
    return this.#preparing;
  }

  #prepared(): PreparedService {
    return { serviceId: this.serviceId, nodeId: this.nodeId, layout: this.layout, identity: this.identity };
  }

  #changed(): void {
    const report = this.report();
    if (report.phase !== this.#lastPhase) {
      this.#lastPhase = report.phase;
      this.#sinceMs = this.#around.clock.now();
      report.sinceMs = BigInt(this.#sinceMs);
    }
    if (!this.#leaving && String(report.generation) !== this.#home.state.value.appliedGeneration) {
      void this.#home.state.update({ appliedGeneration: String(report.generation) }).catch((error: unknown) => {
        this.#around.logger.error(
          { event: 'service.state_unwritable', err: error },
          'cannot keep the state of a service',
        );
      });
    }
    this.#around.onReport(report);
  }
}
