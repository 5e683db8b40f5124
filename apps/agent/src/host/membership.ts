import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { create, equals } from '@bufbuild/protobuf';
import { Turns, toErrorMessage } from '@flotilla/kit';
import { deriveServiceKey, fleet } from '@flotilla/proto';
import { readDesired, writeDesired } from './desired-file.ts';
import { ManagedService, type ServiceSurroundings } from './managed-service.ts';
import { SerialLoop } from './serial-loop.ts';
import { findServiceKeys, readOwner, removeRemains } from './service-home.ts';
import { Settlement } from './settlement.ts';
import { endProcessesOf } from './user-processes.ts';

const RETRY_MS = 2_000;
const PARALLEL_SERVICES = 4;

/**
 * Opens and removes the services of this host.
 *
 * The first pass reads the previous desired state and adopts every service that it finds on disk. Each pass then writes the
 * newest desired state to disk, opens the services in it, passes each its part, and removes the others. Without a desired state,
 * received or read from disk, no service is removed.
 */
export class Membership {
  readonly #around: ServiceSurroundings;
  readonly #onReport: (report: fleet.NodeReport) => void;
  /** Gets each desired state that is on disk, at least once. */
  readonly #onStored: (state: fleet.DesiredState) => void;
  readonly #desiredFile: string;
  readonly #services = new Map<string, ManagedService>();
  /** Reports of services that could not be opened. */
  readonly #unopened = new Map<string, fleet.NodeReport>();
  readonly #turns = new Turns({ atOnce: PARALLEL_SERVICES });
  readonly #settlement = new Settlement((serviceId, generation) => this.#findSettled(serviceId, generation));
  readonly #loop = new SerialLoop((signal) => this.#guardedPass(signal));
  #desired: fleet.DesiredState | undefined;
  #written: fleet.DesiredState | undefined;
  /** The state that a pass has completed. Services that it does not contain have been removed. */
  #done: fleet.DesiredState | undefined;
  #isOpen = false;
  readonly #opened = Promise.withResolvers<void>();

  constructor(around: ServiceSurroundings & { readonly onStored: (state: fleet.DesiredState) => void }) {
    this.#onReport = around.onReport;
    this.#onStored = around.onStored;
    this.#around = {
      ...around,
      onReport: (report) => this.#report(report),
    };
    this.#desiredFile = join(around.options.dirs.dataDir, 'desired.bin');
    this.#loop.wake();
  }

  /** Returns the desired generation, or 0 for a service that is not desired. */
  generationOf(serviceId: string): bigint {
    return this.#desired?.services.find((one) => one.serviceId === serviceId)?.generation ?? 0n;
  }

  /** The newest desired state, received or read from disk. */
  get desired(): fleet.DesiredState | undefined {
    return this.#desired;
  }

  /** Resolves when the desired state on disk is known and the services there are adopted. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  get services(): readonly ManagedService[] {
    return [...this.#services.values()];
  }

  get(serviceId: string): ManagedService | undefined {
    return this.#services.get(serviceId);
  }

  setDesired(state: fleet.DesiredState): void {
    this.#desired = state;
    this.#loop.wake();
  }

  /** See `ServiceHost.settled`. */
  settled(serviceId: string, generation: bigint, signal?: AbortSignal): Promise<fleet.NodeReport> {
    return this.#settlement.wait(serviceId, generation, signal);
  }

  reports(): fleet.NodeReport[] {
    return [...this.services.map((service) => service.report()), ...this.#unopened.values()];
  }

  /** Resolves when no pass is running. The services are still held. */
  close(): Promise<void> {
    return this.#loop.close();
  }

  async #guardedPass(signal: AbortSignal): Promise<number | undefined> {
    try {
      if (!this.#isOpen) await this.#open();
      return await this.#pass(signal);
    } catch (error) {
      this.#around.logger.error(
        { event: 'host.converge_failed', err: error },
        'cannot bring the host to its desired state; trying again',
      );
      return RETRY_MS;
    }
  }

  async #open(): Promise<void> {
    const { dirs } = this.#around.options;
    await mkdir(dirs.dataDir, { recursive: true, mode: 0o711 });
    for (const name of ['services', 'units']) await mkdir(join(dirs.dataDir, name), { recursive: true, mode: 0o711 });
    await mkdir(dirs.runtimeDir, { recursive: true, mode: 0o711 });
    this.#written = await readDesired(this.#desiredFile, this.#around.logger);
    this.#desired ??= this.#written;
    for (const key of await findServiceKeys(dirs.dataDir)) {
      const owner = await readOwner(dirs.dataDir, key);
      if (owner && deriveServiceKey(owner.serviceId) === key) await this.#hold(owner.serviceId, owner.nodeId);
      else if (this.#desired && !this.#desired.services.some((one) => deriveServiceKey(one.serviceId) === key)) {
        const uid = (await this.#around.users.read()).get(key);
        if (uid !== undefined && process.getuid?.() === 0) await endProcessesOf(uid);
        await removeRemains(dirs, key);
      }
    }
    await this.#around.baseIds.sweep(new Set(this.services.flatMap((one) => one.envoy.set.baseIds)));
    this.#isOpen = true;
    this.#opened.resolve();
  }

  async #pass(signal: AbortSignal): Promise<number | undefined> {
    const desired = this.#desired;
    if (!desired) return undefined;
    if (!this.#written || !equals(fleet.DesiredStateSchema, this.#written, desired)) {
      await writeDesired(this.#desiredFile, desired);
      this.#written = desired;
    }
    this.#onStored(desired);
    const wanted = new Map(desired.services.map((service) => [service.serviceId, service]));
    for (const serviceId of this.#unopened.keys()) if (!wanted.has(serviceId)) this.#unopened.delete(serviceId);
    const leaving = this.services.filter((service) => !wanted.has(service.serviceId));
    const work = [
      ...leaving.map((service) => () => this.#remove(service)),
      ...[...wanted.values()].map((service) => async () => {
        const held = await this.#holdOrReport(service);
        if (!signal.aborted) held.want(service);
      }),
    ];
    const done = await Promise.allSettled(work.map((one) => this.#turns.run(one)));
    const failed = done.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
    if (failed.length === 0) this.#done = desired;
    this.#settlement.check();
    if (failed.length === 0) return undefined;
    this.#around.logger.error(
      { event: 'host.services_failed', err: failed[0], count: failed.length },
      'some services failed; trying again',
    );
    return RETRY_MS;
  }

  async #hold(serviceId: string, nodeId: string): Promise<ManagedService> {
    const held = this.#services.get(serviceId);
    if (held) return held;
    const opened = await ManagedService.open(this.#around, serviceId, nodeId);
    this.#services.set(serviceId, opened);
    return opened;
  }

  /** Reports a service that cannot be opened, for example because a folder cannot be created, as failed. */
  async #holdOrReport({ serviceId, nodeId }: fleet.DesiredService): Promise<ManagedService> {
    try {
      const held = await this.#hold(serviceId, nodeId);
      this.#unopened.delete(serviceId);
      return held;
    } catch (error) {
      const reason = toErrorMessage(error);
      const report = create(fleet.NodeReportSchema, { serviceId, phase: fleet.NodePhase.FAILED, error: reason });
      this.#unopened.set(serviceId, report);
      this.#report(report);
      throw error;
    }
  }

  async #remove(service: ManagedService): Promise<void> {
    await service.remove();
    this.#services.delete(service.serviceId);
  }

  #report(report: fleet.NodeReport): void {
    this.#onReport(report);
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
