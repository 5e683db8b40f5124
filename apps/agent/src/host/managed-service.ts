import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { type Clock, type Logger, removeStaged } from '@flotilla/kit';
import { deriveServiceLayout, fleet, type ServiceLayout } from '@flotilla/proto';
import { AdminForwarder } from './admin-forwarder.ts';
import type { BaseIds } from './envoy/base-id.ts';
import { EnvoyConverger } from './envoy/envoy-converger.ts';
import { EnvoySet } from './envoy/envoy-set.ts';
import { ENVOY_DRAIN } from './envoy/instance.ts';
import type { MigrationSwitch } from './envoy/migration-switch.ts';
import { findClosedFolder, prepareFolders, removeFolders } from './folders.ts';
import { deriveServiceIdentity, type ServiceIdentity } from './identity.ts';
import { pointEnvoyAdmin } from './shield/envoy-admin-link.ts';
import { FilterReader } from './shield/read-filter.ts';
import { ShieldConverger } from './shield/shield-converger.ts';
import { StateFile } from './state-file.ts';
import type { PreparedService, ServiceHostOptions, StartedEnvoy } from './types.ts';
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
  readonly onStarted: (envoy: StartedEnvoy) => void;
  readonly onReport: (report: fleet.NodeReport) => void;
}

/**
 * One service on this host: its folders, its Envoy, its filter, its admin port.
 * *Held* from the moment a desired state names it (or its folder is found after a restart); *leaving* once `remove` is called:
 * programs end first, then folders go; *gone* after that, for good.
 */
export class ManagedService {
  readonly serviceId: string;
  readonly layout: ServiceLayout;
  readonly identity: ServiceIdentity | undefined;
  readonly envoy: EnvoyConverger;
  readonly shield: ShieldConverger;
  readonly #around: ServiceSurroundings;
  readonly #state: StateFile;
  readonly #admin: AdminForwarder;
  #desired: fleet.DesiredService | undefined;
  #preparing: Promise<void> | undefined;
  #sinceMs: number;
  #lastPhase: fleet.NodePhase | undefined;
  #leaving = false;
  #removed = false;
  #closedFolder: string | undefined;
  /** What the filter counts, finds and says of itself. */
  readonly filter: FilterReader;

  private constructor(
    around: ServiceSurroundings,
    serviceId: string,
    identity: ServiceIdentity | undefined,
    state: StateFile,
  ) {
    const { options, logger: parent } = around;
    this.#around = around;
    this.#state = state;
    this.serviceId = serviceId;
    this.identity = identity;
    this.layout = deriveServiceLayout(options.dirs, serviceId);
    this.#sinceMs = around.clock.now();
    const logger = parent.child({ service: serviceId });
    this.#admin = new AdminForwarder({ logger, target: () => this.adminSocket() });
    const shared = {
      serviceId,
      layout: this.layout,
      dataDir: options.dirs.dataDir,
      identity,
      state,
      runner: around.runner,
      logger,
      prepare: () => this.#prepare(),
      onStatus: () => this.#changed(),
    };
    const { drain = ENVOY_DRAIN, liveTimeoutMs = 60_000 } = options;
    // systemd starts a unit again with the command line it has: only one without a parent can be repeated
    const replacement = around.runner.kind === 'systemd' ? 'beside' : (options.replacement ?? 'auto');
    this.envoy = new EnvoyConverger({
      ...shared,
      envoyDist: options.envoyDist,
      createSet: (closing) =>
        new EnvoySet({
          ...shared,
          closing,
          baseIds: around.baseIds,
          migration: around.migration,
          drain,
          liveTimeoutMs,
          replacement,
          clock: around.clock,
          onStarted: ({ spec, adminSocket }, { pid }) => this.#started(pid, spec.version, adminSocket),
        }),
    });
    this.shield = new ShieldConverger({
      ...shared,
      flotillaCommand: options.flotillaCommand,
      onEnding: () => this.filter.readLast(),
    });
    this.filter = new FilterReader({
      adminSocket: this.layout.shieldAdminSocket,
      serviceId,
      showEnvoy: () => pointEnvoyAdmin(this.layout, this.adminSocket()),
      isRunning: () => this.shield.status.running,
      onHealth: () => this.#changed(),
    });
  }

  static async open(around: ServiceSurroundings, serviceId: string, nodeId: string): Promise<ManagedService> {
    const { dirs } = around.options;
    const layout = deriveServiceLayout(dirs, serviceId);
    const derived = deriveServiceIdentity(dirs.dataDir, layout.key, around.takenUids());
    await prepareFolders(layout, derived);
    const closed = derived && ((await findClosedFolder(layout.dataDir)) ?? (await findClosedFolder(layout.runtimeDir)));
    const isShared = closed !== undefined && around.options.unprivileged === 'preferred';
    if (isShared)
      around.logger.warn({ event: 'service.privileged', serviceId, closed }, 'service runs as the agent itself');
    const found = isShared ? undefined : derived;
    if (isShared) await prepareFolders(layout, undefined);
    const initial = {
      serviceId,
      nodeId,
      uid: found?.uid,
      nextUnit: 1,
      instances: [],
      lastGood: undefined,
      appliedGeneration: '0',
      shield: undefined,
      policyDigest: '',
      stoppedByHand: undefined,
    };
    await removeStaged(layout.dataDir);
    const state = await StateFile.open(join(layout.dataDir, 'state.json'), initial, around.logger);
    // The user of a service stays, also when another one's leaving would free a better number
    const uid = state.value.uid;
    const identity = found && uid !== undefined ? { uid, gid: uid } : found;
    if (identity?.uid !== found?.uid) await prepareFolders(layout, identity);
    await state.update({ nodeId, uid: identity?.uid });
    const service = new ManagedService(around, serviceId, identity, state);
    if (closed !== undefined && !isShared) service.#closedFolder = closed;
    await service.envoy.set.adopt();
    await service.shield.adopt();
    return service;
  }

  get nodeId(): string {
    return this.#state.value.nodeId;
  }

  get isStoppedByHand(): boolean {
    const byHand = this.#state.value.stoppedByHand;
    return byHand !== undefined && BigInt(byHand.generation) === this.#desired?.generation;
  }

  get isStopped(): boolean {
    return this.#desired?.runState === fleet.RunState.STOPPED || this.isStoppedByHand;
  }

  want(service: fleet.DesiredService): void {
    this.#desired = service;
    this.#admin.listen(service.adminPort);
    this.#pass();
  }

  /** Stops or starts until a newer generation is wanted. */
  async setStoppedByHand(stopped: boolean): Promise<void> {
    const generation = String(this.#desired?.generation ?? 0n);
    await this.#state.update({ stoppedByHand: stopped ? { generation } : undefined });
    this.#pass();
  }

  adminSocket(): string | undefined {
    return this.envoy.set.serving?.adminSocket;
  }

  noticeEvent(event: UnitEvent): void {
    const isShield = event.unit.name.startsWith('shield-');
    if (event.type === 'exited') {
      if (isShield) this.shield.noticeExit();
      else this.envoy.noticeExit(event.unit.name);
      return;
    }
    if (isShield) {
      this.shield.noticeExit();
      return;
    }
    this.envoy.set.noticeRestart(event.unit.name);
    const instance = this.envoy.set.serving;
    if (instance?.unit !== event.unit.name) return;
    this.envoy.noticeRestart();
    this.#started(event.process.pid, instance.spec.version, instance.adminSocket);
  }

  isSettled(generation: bigint): boolean {
    return this.#removed || (this.envoy.status.settled >= generation && this.shield.status.settled >= generation);
  }

  report(): fleet.NodeReport {
    const { status, set } = this.envoy;
    const shield = this.shield.status;
    const serving = set.serving;
    const process = serving ? set.processOf(serving) : undefined;
    const applied = earlier(shield.settled, status.applied);
    const persisted = BigInt(this.#state.value.appliedGeneration);
    return create(fleet.NodeReportSchema, {
      serviceId: this.serviceId,
      generation: this.#removed ? (this.#desired?.generation ?? persisted) : applied > persisted ? applied : persisted,
      phase: this.#removed ? fleet.NodePhase.STOPPED : status.phase,
      envoyVersion: process ? (serving?.spec.version ?? '') : '',
      envoyPid: process?.pid ?? 0,
      bootstrapDigest: serving?.spec.bootstrapDigest ?? '',
      policyDigest: shield.policyDigest,
      error: status.error,
      removed: this.#removed,
      restarts: status.restarts,
      sinceMs: BigInt(this.#sinceMs),
      shieldRunning: shield.running,
      policyError: shield.policyError,
      ...(this.filter.health && { shieldHealth: this.filter.health }),
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
    const name = this.#state.value.shield?.unit ?? '';
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
    await this.#state.flush();
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

  #pass(): void {
    const service = this.#desired;
    if (!service) return;
    this.envoy.want(service, this.isStopped);
    this.shield.want(service, this.isStopped);
  }

  /** Once per agent and service; a failure is tried again with the next pass. */
  async #prepare(): Promise<void> {
    if (this.#closedFolder !== undefined) {
      throw new Error(
        `the user of service ${this.serviceId} cannot pass through ${this.#closedFolder}: give the agent data and runtime folders that others may pass through, or open that one (chmod o+x)`,
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

  #started(pid: number, version: string, adminSocket: string): void {
    this.#around.onStarted({ serviceId: this.serviceId, nodeId: this.nodeId, pid, version, adminSocket });
  }

  #changed(): void {
    const report = this.report();
    if (report.phase !== this.#lastPhase) {
      this.#lastPhase = report.phase;
      this.#sinceMs = this.#around.clock.now();
      report.sinceMs = BigInt(this.#sinceMs);
    }
    if (!this.#leaving && String(report.generation) !== this.#state.value.appliedGeneration) {
      void this.#state.update({ appliedGeneration: String(report.generation) }).catch((error: unknown) => {
        this.#around.logger.error(
          { event: 'service.state_unwritable', err: error },
          'cannot keep the state of a service',
        );
      });
    }
    this.#around.onReport(report);
  }
}

function earlier(one: bigint, other: bigint): bigint {
  return other < one ? other : one;
}

/** Folders of services that no desired state names any more, by their keys. */
export async function findServiceKeys(dataDir: string): Promise<string[]> {
  const names = await readdir(join(dataDir, 'services')).catch(() => [] as string[]);
  return names.filter((name) => /^[0-9a-f]{12}$/.test(name));
}

/** Removes a folder without a readable state: nothing can run from it. */
export async function removeRemains(dirs: { dataDir: string; runtimeDir: string }, key: string): Promise<void> {
  await rm(join(dirs.dataDir, 'services', key), { recursive: true, force: true });
  await rm(join(dirs.runtimeDir, key), { recursive: true, force: true });
}
