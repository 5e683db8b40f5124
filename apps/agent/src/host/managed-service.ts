import { create, equals } from '@bufbuild/protobuf';
import type { EnvoyBinary } from '@flotilla/envoy-dist';
import type { Clock, Logger, Result } from '@flotilla/kit';
import { fleet, type ServiceLayout } from '@flotilla/proto';
import { AdminForwarder } from './admin-forwarder.ts';
import { deriveReport } from './derive-report.ts';
import type { BaseIds } from './envoy/base-id.ts';
import { deriveDrainTimes } from './envoy/drain-times.ts';
import { EnvoyConverger } from './envoy/envoy-converger.ts';
import { EnvoySet } from './envoy/envoy-set.ts';
import type { MigrationSwitch } from './envoy/migration-switch.ts';
import { removeFolders } from './folders.ts';
import type { ServiceIdentity } from './identity.ts';
import { poll } from './serial-loop.ts';
import { openServiceHome, type ServiceHome } from './service-home.ts';
import { type ServiceSocket, serviceSocket } from './service-socket.ts';
import type { ServiceUsers } from './service-users.ts';
import { pointEnvoyAdmin } from './shield/envoy-admin-link.ts';
import { FilterReader } from './shield/read-filter.ts';
import { ShieldConverger } from './shield/shield-converger.ts';
import type { ConnectionOwners } from './tcp-owner.ts';
import type { EnvoyHandle, PreparedService, ServiceHostOptions } from './types.ts';
import type { UnitEvent, UnitRunner } from './units/types.ts';
import { endProcessesOf } from './user-processes.ts';

/** Time in which a filter ends. It is longer than the grace period of `ShieldProcess`. */
const FILTER_STOP_MS = 10_000;

/** Dependencies that all services of a host share. */
export interface ServiceSurroundings {
  readonly options: ServiceHostOptions;
  /** Returns the Envoy of a version, and installs it if it is missing. The error is a message for the user. */
  readonly ensureEnvoy: (version: string) => Promise<Result<EnvoyBinary, string>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly runner: UnitRunner;
  readonly baseIds: BaseIds;
  readonly migration: MigrationSwitch;
  readonly users: ServiceUsers;
  readonly owners: ConnectionOwners;
  readonly onPrepare: (service: PreparedService) => Promise<void>;
  readonly onRemove: (service: PreparedService) => Promise<void>;
  readonly onReport: (report: fleet.NodeReport) => void;
}

/**
 * One service on this host: its folders, its Envoy, its filter and its admin port.
 *
 * *Held*: a desired state names it, or its folder was found after a restart. *Leaving*: `remove` has been called; it ends the
 * programs first and then deletes the folders. *Gone*: final.
 */
export class ManagedService {
  readonly layout: ServiceLayout;
  readonly envoy: EnvoyConverger;
  readonly shield: ShieldConverger;
  /** Reads the counters, findings and health of the filter. */
  readonly filter: FilterReader;
  readonly #around: ServiceSurroundings;
  readonly #home: ServiceHome;
  readonly #admin: AdminForwarder;
  #desired: fleet.DesiredService | undefined;
  #preparing: Promise<void> | undefined;
  /** Set while the strays of the stopped service are being ended. */
  #ending: Promise<void> | undefined;
  #sinceMs: number;
  #lastPhase: fleet.NodePhase | undefined;
  #lastPid: number | undefined;
  #listeners: { readonly pid: number; readonly states: readonly fleet.ListenerState[] } | undefined;
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
    this.#admin = new AdminForwarder({
      logger,
      target: () => this.adminSocket(),
      isServiceUid: (uid) => around.users.isServiceUid(uid),
      owners: around.owners,
      onProblem: () => this.#changed(),
    });
    const shared = {
      ...home,
      dataDir: options.dirs.dataDir,
      runner: around.runner,
      logger,
      prepare: () => this.#prepare(),
      onStopped: (signal: AbortSignal) => this.#endStopped(signal),
      onStatus: () => this.#changed(),
    };
    const { liveTimeoutMs = 60_000 } = options;
    const drain = () => deriveDrainTimes(this.#desired?.drainTimeS ?? 0, options.drain);
    // systemd restarts a unit with its original command line, which would name a hot-restart parent that has ended.
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
      ensureEnvoy: around.ensureEnvoy,
      set,
      replacement: { serviceKey: layout.key, migration, replacement, logger },
    });
    this.shield = new ShieldConverger({
      ...shared,
      flotillaCommand: options.flotillaCommand,
      isWarm: options.hasWarmFilter ?? true,
      onEnding: () => this.filter.readLast(),
    });
    this.filter = new FilterReader({
      adminSocket: serviceSocket(layout.shieldAdminSocket, home.identity),
      serviceId,
      showEnvoy: () => pointEnvoyAdmin(layout, this.adminSocket()?.path),
      isRunning: () => this.shield.status.running,
      onHealth: () => this.#changed(),
    });
  }

  /** Opens the service and adopts its running programs. Rejects if its folders cannot be created. */
  static async open(around: ServiceSurroundings, serviceId: string, nodeId: string): Promise<ManagedService> {
    const { options, logger, users } = around;
    const home = await openServiceHome({ ...options, logger, serviceId, nodeId, users });
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

  adminSocket(): ServiceSocket | undefined {
    const { set } = this.envoy;
    return set.serving && set.adminOf(set.serving);
  }

  envoys(): EnvoyHandle[] {
    return this.envoy.set.handles().map((handle) => ({ serviceId: this.serviceId, ...handle }));
  }

  showListeners(pid: number, states: readonly fleet.ListenerState[]): void {
    const before = this.#listeners;
    this.#listeners = { pid, states };
    const isSame =
      before?.pid === pid &&
      before.states.length === states.length &&
      states.every((one, i) =>
        equals(fleet.ListenerStateSchema, one, before.states[i] ?? create(fleet.ListenerStateSchema)),
      );
    if (!isSame) this.#changed();
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
      // The listeners of a previous process say nothing about this one.
      listeners: this.#listeners?.pid === process?.pid ? (this.#listeners?.states ?? []) : [],
      adminError: this.#admin.problem,
      isRemoved: this.#removed,
      sinceMs: this.#sinceMs,
    });
  }

  /** The Envoy versions that run, and the one that is started again after a crash. */
  versions(): string[] {
    const { instances, lastGood } = this.#home.state.value;
    return [...instances.map(({ spec }) => spec.version), ...(lastGood ? [lastGood.version] : [])];
  }

  /** Returns the running programs of this service. */
  processes(): Array<{ kind: 'envoy' | 'shield'; name: string; pid: number; role: string; version: string }> {
    const units = [this.envoy.set.serving, this.envoy.set.starting, ...this.envoy.set.draining].flatMap((instance) => {
      const process = instance ? this.envoy.set.processOf(instance) : undefined;
      if (!instance || !process) return [];
      const { unit: name, role, spec } = instance;
      return [{ kind: 'envoy' as const, name, pid: process.pid, role, version: spec.version }];
    });
    const { shield, shieldStandby } = this.#home.state.value;
    const filters = [
      { name: shield?.unit ?? '', role: 'serving' },
      { name: shieldStandby?.unit ?? '', role: 'standby' },
    ].flatMap(({ name, role }) => {
      const filter = this.#around.runner.find({ serviceKey: this.layout.key, name });
      return filter ? [{ kind: 'shield' as const, name, pid: filter.pid, role, version: '' }] : [];
    });
    return [...units, ...filters];
  }

  /** Removes all processes, sockets, ports, shared memory, files and credentials of the service. */
  async remove(): Promise<void> {
    this.#leaving = true;
    await this.#closeLoops();
    await this.envoy.set.stopAll();
    await this.shield.stop();
    const { runner } = this.#around;
    for (const name of (await runner.list(this.layout.key, this.identity)).keys()) {
      await runner.stop({ serviceKey: this.layout.key, name }, 0);
    }
    await this.#endStrays();
    await runner.removeService(this.layout.key);
    await this.#around.onRemove(this.#prepared());
    await this.#home.state.flush();
    await removeFolders(this.layout);
    this.#removed = true;
    this.#changed();
  }

  /** Releases the service. With `leave`, its programs keep running. */
  async close(stopPrograms: 'stop' | 'leave'): Promise<void> {
    await this.#closeLoops();
    if (stopPrograms === 'leave') return;
    await Promise.all([this.envoy.set.stopAll(), this.shield.stop()]);
    await this.#endStrays();
  }

  /** Ends all other processes that the programs have started, including hidden ones. */
  async #endStrays(): Promise<void> {
    await this.#around.runner.endStrays(this.layout.key, this.identity);
    if (this.identity) await endProcessesOf(this.identity.uid);
  }

  /** Ends the strays of a stopped service after Envoy and the filter have ended. */
  async #endStopped(signal: AbortSignal): Promise<void> {
    const isFilterGone = () => (this.#home.state.value.shield === undefined ? true : undefined);
    await poll(async () => isFilterGone(), { ms: FILTER_STOP_MS, everyMs: 50, signal });
    if (!this.isStopped || signal.aborted || !isFilterGone()) return;
    this.#ending = this.#endStrays().finally(() => {
      this.#ending = undefined;
    });
    await this.#ending;
  }

  async #closeLoops(): Promise<void> {
    await Promise.all([this.envoy.loop.close(), this.shield.loop.close(), this.#admin.close()]);
  }

  /**
   * Runs the listeners once per agent and service. After a failure, the next pass retries. Waits until no strays are being ended: the
   * programs that are about to start have the same user.
   */
  async #prepare(): Promise<void> {
    await this.#ending;
    const { closedFolder } = this.#home;
    if (closedFolder !== undefined) {
      throw new Error(
        `the user of service ${this.serviceId} cannot traverse ${closedFolder}: give the agent data and runtime folders that other users may traverse, or run chmod o+x on this folder`,
      );
    }
    this.#preparing ??= this.#around.onPrepare(this.#prepared()).catch((error: unknown) => {
      this.#preparing = undefined;
      throw error;
    });
    return this.#preparing;
  }

  #prepared(): PreparedService {
    const knowsSecret = (secret: string) => this.envoy.set.knowsSecret(secret);
    return {
      serviceId: this.serviceId,
      nodeId: this.nodeId,
      layout: this.layout,
      identity: this.identity,
      knowsSecret,
    };
  }

  #changed(): void {
    const report = this.report();
    // A quick restart may not change the phase.
    if (report.phase !== this.#lastPhase || report.envoyPid !== this.#lastPid) {
      this.#lastPhase = report.phase;
      this.#lastPid = report.envoyPid;
      this.#sinceMs = this.#around.clock.now();
      report.sinceMs = BigInt(this.#sinceMs);
    }
    if (!this.#leaving && String(report.generation) !== this.#home.state.value.appliedGeneration) {
      void this.#home.state.update({ appliedGeneration: String(report.generation) }).catch((error: unknown) => {
        this.#around.logger.error(
          { event: 'service.state_unwritable', err: error },
          'cannot write the state of a service; check the disk',
        );
      });
    }
    this.#around.onReport(report);
  }
}
