import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, isSameSecret, type ProcessRef, writeFileAtomically } from '@flotilla/kit';
import type { ServiceLayout } from '@flotilla/proto';
import { addAdsSecret, createAdsSecret, digestAdsSecret } from '../ads-secret.ts';
import type { ServiceIdentity } from '../identity.ts';
import { extractReason, logSize, tailLog } from '../log-tail.ts';
import { withFolder } from '../open-folder.ts';
import { poll } from '../serial-loop.ts';
import { type ServiceSocket, serviceSocket } from '../service-socket.ts';
import type { StateFile } from '../state-file.ts';
import type { EnvoyHandle } from '../types.ts';
import type { UnitRunner } from '../units/types.ts';
import { readState } from './admin-client.ts';
import type { BaseIds } from './base-id.ts';
import { type DrainTimes, ENVOY_DRAIN, letFinish } from './drain-times.ts';
import { adminSocketOf, type EnvoyInstance, type EnvoySpec, envoyCommand, startFileOf } from './instance.ts';
import type { MigrationSwitch } from './migration-switch.ts';

const LIVE_POLL_MS = 50;
const STOP_GRACE_MS = 5_000;

export interface EnvoySetOptions {
  readonly serviceId: string;
  readonly layout: ServiceLayout;
  readonly runner: UnitRunner;
  readonly state: StateFile;
  readonly baseIds: BaseIds;
  readonly migration: Pick<MigrationSwitch, 'release'>;
  readonly identity: ServiceIdentity | undefined;
  /** The times of the next Envoy. */
  readonly drain: () => DrainTimes;
  readonly liveTimeoutMs: number;
  readonly clock: Clock;
}

export type StartOutcome =
  | { readonly type: 'live' }
  /** The Envoy runs but did not become live in time. */
  | { readonly type: 'slow'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'interrupted' };

/**
 * The Envoy processes of one service and their records. `EnvoyInstance` describes their roles, and `EnvoyReplacement` how one
 * replaces another. Calls must not overlap.
 */
export class EnvoySet {
  readonly #options: EnvoySetOptions;
  /** Units that the init system restarted before they were live. */
  readonly #restarted = new Set<string>();
  /** Size of the shared log at the start of each instance, by its number. */
  readonly #logStart = new Map<number, number>();
  /** Monotonic time of the start of each instance that this agent has started, by its number. */
  readonly #startedMs = new Map<number, number>();

  constructor(options: EnvoySetOptions) {
    this.#options = options;
  }

  get serving(): EnvoyInstance | undefined {
    return this.#instances.find((one) => one.role === 'serving');
  }

  get starting(): EnvoyInstance | undefined {
    return this.#instances.find((one) => one.role === 'starting');
  }

  get draining(): readonly EnvoyInstance[] {
    return this.#instances.filter((one) => one.role === 'draining');
  }

  get baseIds(): readonly number[] {
    return this.#instances.map((one) => one.baseId);
  }

  processOf(instance: EnvoyInstance): ProcessRef | undefined {
    return this.#options.runner.find({ serviceKey: this.#options.layout.key, name: instance.unit });
  }

  adminOf(instance: EnvoyInstance): ServiceSocket {
    return serviceSocket(instance.adminSocket, this.#options.identity);
  }

  /** Returns the running Envoys that are in charge or drain. */
  handles(): Array<Omit<EnvoyHandle, 'serviceId'>> {
    return this.#instances.flatMap((instance) => {
      const process = instance.role === 'starting' ? undefined : this.processOf(instance);
      if (!process) return [];
      const startedMs = this.#startedMs.get(instance.n);
      return [{ admin: this.adminOf(instance), process, isServing: instance.role === 'serving', startedMs }];
    });
  }

  /** Returns false for an Envoy that an earlier version of the agent has started with another socket folder. */
  hasSocketsHere(instance: EnvoyInstance): boolean {
    return dirname(instance.adminSocket) === this.#options.layout.socketDir;
  }

  /** Records that the init system has restarted a unit. If it was not live yet, its start counts as failed. */
  noticeRestart(unit: string): void {
    const instance = this.#instances.find((one) => one.unit === unit);
    if (instance && !instance.wasLive) this.#restarted.add(unit);
  }

  /** Ends Envoys without a record and deletes unused start files of earlier agents. */
  async adopt(): Promise<void> {
    const { runner, layout, identity } = this.#options;
    const units = await runner.list(layout.key, identity);
    for (const name of units.keys()) {
      const known = this.#instances.some((one) => one.unit === name);
      if (name.startsWith('envoy-') && !known) await runner.stop({ serviceKey: layout.key, name }, STOP_GRACE_MS);
    }
    const needed = new Set(this.#instances.map(({ startFile }) => startFile));
    for (const name of await readdir(layout.runtimeDir)) {
      const path = join(layout.runtimeDir, name);
      if (name.startsWith('start-') && !needed.has(path)) await rm(path, { force: true });
    }
  }

  /** Removes instances whose process has ended. Returns true if the current one was among them. */
  async reap(): Promise<boolean> {
    const gone = this.#instances.filter((one) => this.processOf(one) === undefined);
    if (gone.length === 0) return false;
    for (const instance of gone) await this.#forget(instance);
    return gone.some((one) => one.role === 'serving');
  }

  /** Milliseconds until the last draining Envoy with this base id ends; 0: none drains. */
  drainLeftMs(baseId: number): number {
    const ends = this.draining.filter((one) => one.baseId === baseId).map((one) => one.drainUntilMs ?? 0);
    return Math.max(0, ...ends.map((at) => at - this.#options.clock.now()));
  }

  /** Ends draining instances whose deadline has passed. Resolves with the milliseconds until the next deadline. */
  async endDrained(): Promise<number | undefined> {
    const now = this.#options.clock.now();
    const left: number[] = [];
    for (const instance of this.draining) {
      const ms = (instance.drainUntilMs ?? 0) - now;
      if (ms > 0) left.push(ms);
      else await this.end(instance);
    }
    if (this.draining.length === 0) await this.#options.migration.release(this.#options.layout.key);
    return left.length > 0 ? Math.min(...left) : undefined;
  }

  /** Starts an Envoy when there is none. It is in charge at once. */
  async startFresh(spec: EnvoySpec, signal: AbortSignal): Promise<StartOutcome> {
    const instance = await this.launch(spec, 'serving');
    return this.waitLive(instance, signal);
  }

  /** Waits until an instance is live or has ended, or until the timeout. Fails if `guard` ends. */
  async waitLive(instance: EnvoyInstance, signal: AbortSignal, guard?: EnvoyInstance): Promise<StartOutcome> {
    const { liveTimeoutMs } = this.#options;
    let state: string | undefined;
    const outcome = await poll<StartOutcome>(
      async () => {
        const hasEnded = !this.processOf(instance) || this.#restarted.has(instance.unit);
        if (hasEnded) return { type: 'failed', reason: await this.#readReason(instance) };
        state = await readState(this.adminOf(instance));
        if (state === 'LIVE') return { type: 'live' };
        const isOrphan = guard !== undefined && !this.processOf(guard);
        return isOrphan
          ? { type: 'failed', reason: 'the Envoy in charge has ended during the replacement' }
          : undefined;
      },
      { ms: liveTimeoutMs, everyMs: LIVE_POLL_MS, signal },
    );
    if (outcome?.type === 'failed' && instance.role === 'serving') await this.end(instance);
    if (outcome?.type === 'live') {
      // Envoy has read the file, but systemd would need it for a restart.
      if (this.#options.runner.kind === 'supervisor') await this.#removeStartFile(instance);
      await this.#options.state.update({ lastGood: instance.spec });
      if (instance.role === 'serving') await this.#update({ ...instance, wasLive: true });
    }
    if (outcome === undefined && !this.processOf(instance)) {
      return { type: 'failed', reason: await this.#readReason(instance) };
    }
    if (outcome === undefined && signal.aborted) return { type: 'interrupted' };
    const reason = state ?? 'its admin endpoint does not answer';
    return outcome ?? { type: 'slow', reason: `Envoy is not live after ${liveTimeoutMs / 1000} s: ${reason}` };
  }

  /** Ends all Envoys, which closes open connections. */
  async stopAll(): Promise<void> {
    await Promise.all(this.#instances.map((one) => this.end(one)));
    await this.#options.migration.release(this.#options.layout.key);
  }

  /** Starts an Envoy: as the hot-restart child of `parent`, or with its own base id. */
  async launch(spec: EnvoySpec, role: 'starting' | 'serving', parent?: EnvoyInstance): Promise<EnvoyInstance> {
    const { state, layout, runner, identity, serviceId, drain } = this.#options;
    const place = parent
      ? { baseId: parent.baseId, epoch: parent.epoch + 1 }
      : { baseId: await this.#options.baseIds.claim(), epoch: 0 };
    const times = letFinish(drain(), this.serving && (this.serving.drain ?? ENVOY_DRAIN));
    const n = await state.takeNumber();
    const secret = createAdsSecret();
    const instance: EnvoyInstance = {
      n,
      unit: `envoy-${n}`,
      spec,
      ...place,
      adminSocket: adminSocketOf(layout, n),
      startFile: startFileOf(layout, n),
      secretDigest: digestAdsSecret(secret),
      drain: times,
      role,
    };
    // The record comes first. The next agent ends a process without a record, and removes a record without a process.
    await this.#setInstances([...this.#instances, instance]);
    await this.#writeStartFile(instance, secret);
    this.#logStart.set(n, await logSize(this.#logFile));
    this.#startedMs.set(n, this.#options.clock.monotonic());
    await runner.start({
      serviceId,
      serviceKey: layout.key,
      name: instance.unit,
      kind: 'envoy',
      command: envoyCommand(instance, layout, times),
      // The reader of its log relies on UTC.
      env: { PATH: '/usr/bin:/bin', HOME: layout.filesDir, TZ: 'UTC' },
      identity,
      workDir: layout.filesDir,
      logFile: this.#logFile,
      writableDirs: [layout.socketDir, layout.filesDir],
    });
    return instance;
  }

  async #writeStartFile({ spec, startFile }: EnvoyInstance, secret: string): Promise<void> {
    const { identity } = this.#options;
    const bootstrap = addAdsSecret(await readFile(spec.bootstrapFile), secret);
    const readable = identity ? { mode: 0o640, owner: { uid: 0, gid: identity.gid } } : { mode: 0o600 };
    await writeFileAtomically(startFile, bootstrap, readable);
  }

  /** Deletes the start file. Instances of an earlier version of the agent have none. */
  async #removeStartFile({ startFile }: Partial<EnvoyInstance>): Promise<void> {
    if (startFile !== undefined) await rm(startFile, { force: true });
  }

  /** Returns true for the secret of one of these Envoys, including those that are starting or draining. */
  knowsSecret(secret: string): boolean {
    const digest = digestAdsSecret(secret);
    return this.#instances.some(({ secretDigest }) => secretDigest !== undefined && isSameSecret(secretDigest, digest));
  }

  /** Records the instance as the current Envoy. `old` is no longer restarted, and ends after `drainMs`. */
  async promote(
    instance: EnvoyInstance,
    retired?: { readonly old: EnvoyInstance; readonly drainMs: number },
  ): Promise<void> {
    const { runner, layout, clock } = this.#options;
    if (retired) await runner.retire({ serviceKey: layout.key, name: retired.old.unit });
    await this.#setInstances(
      this.#instances.map((one): EnvoyInstance => {
        if (one.n === instance.n) return { ...one, role: 'serving', wasLive: true };
        if (one.n !== retired?.old.n) return one;
        return { ...one, role: 'draining', drainUntilMs: clock.now() + retired.drainMs };
      }),
    );
  }

  /** Records that no further hot restart of this Envoy is possible. */
  spendHandover(instance: EnvoyInstance): Promise<void> {
    return this.#update({ ...instance, handoverSpent: true });
  }

  async end(instance: EnvoyInstance): Promise<void> {
    await this.#options.runner.stop({ serviceKey: this.#options.layout.key, name: instance.unit }, STOP_GRACE_MS);
    await this.#forget(instance);
  }

  async #forget(instance: EnvoyInstance): Promise<void> {
    const { runner, layout, baseIds } = this.#options;
    await runner.stop({ serviceKey: layout.key, name: instance.unit }, 0);
    const rest = this.#instances.filter((one) => one.n !== instance.n);
    await this.#setInstances(rest);
    await this.#removeSockets(instance, rest);
    await this.#removeStartFile(instance);
    this.#restarted.delete(instance.unit);
    this.#logStart.delete(instance.n);
    this.#startedMs.delete(instance.n);
    if (!rest.some((one) => one.baseId === instance.baseId)) await baseIds.release(instance.baseId);
  }

  async #removeSockets(instance: EnvoyInstance, rest: readonly EnvoyInstance[]): Promise<void> {
    const hotId = instance.baseId * 10 + (instance.epoch % 3);
    const isShared = rest.some((one) => one.baseId === instance.baseId && one.epoch % 3 === instance.epoch % 3);
    const hot = ['parent', 'child', 'udp_parent', 'udp_child'].map((role) => `hot_${role}_${hotId}`);
    await withFolder(dirname(instance.adminSocket), async (folder) => {
      for (const name of [basename(instance.adminSocket), ...(isShared ? [] : hot)]) await folder.remove(name);
    });
  }

  get #instances(): readonly EnvoyInstance[] {
    return this.#options.state.value.instances;
  }

  #update(changed: EnvoyInstance): Promise<void> {
    return this.#setInstances(this.#instances.map((one) => (one.n === changed.n ? changed : one)));
  }

  #setInstances(instances: readonly EnvoyInstance[]): Promise<void> {
    return this.#options.state.update({ instances });
  }

  get #logFile(): string {
    return `${this.#options.layout.logDir}/envoy.log`;
  }

  async #readReason(instance: EnvoyInstance): Promise<string> {
    const since = this.#logStart.get(instance.n);
    const size = await logSize(this.#logFile);
    const bytes = since === undefined || since > size ? undefined : size - since;
    return extractReason(await tailLog(this.#logFile, 200, bytes)) || 'Envoy ended without output';
  }
}
