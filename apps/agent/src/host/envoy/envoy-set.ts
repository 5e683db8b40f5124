import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type Clock, isSameSecret, type ProcessRef, writeFileAtomically } from '@flotilla/kit';
import type { ServiceLayout } from '@flotilla/proto';
import { addAdsSecret, createAdsSecret, digestAdsSecret } from '../ads-secret.ts';
import type { ServiceIdentity } from '../identity.ts';
import { lastWords, logSize, tailLog } from '../log-tail.ts';
import { withFolder } from '../open-folder.ts';
import { poll } from '../serial-loop.ts';
import { type ServiceSocket, serviceSocket } from '../service-socket.ts';
import type { StateFile } from '../state-file.ts';
import type { UnitRunner } from '../units/types.ts';
import { readState } from './admin-client.ts';
import type { BaseIds } from './base-id.ts';
import {
  adminSocketOf,
  type DrainTimes,
  type EnvoyInstance,
  type EnvoySpec,
  envoyCommand,
  startFileOf,
} from './instance.ts';
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
  readonly drain: DrainTimes;
  readonly liveTimeoutMs: number;
  readonly clock: Clock;
}

export type StartOutcome =
  | { readonly type: 'live' }
  /** It runs but did not become live in time. */
  | { readonly type: 'slow'; readonly reason: string }
  | { readonly type: 'failed'; readonly reason: string }
  | { readonly type: 'interrupted' };

/**
 * The Envoy processes of one service and their records; `EnvoyInstance` describes their roles, `EnvoyReplacement` how
 * one replaces another. Calls must not overlap.
 */
export class EnvoySet {
  readonly #options: EnvoySetOptions;
  /** Units that the init system restarted before they were live. */
  readonly #restarted = new Set<string>();
  /** Size of the shared log when an instance began, by its number. */
  readonly #logStart = new Map<number, number>();

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

  /** Its admin endpoint. */
  adminOf(instance: EnvoyInstance): ServiceSocket {
    return serviceSocket(instance.adminSocket, this.#options.identity);
  }

  /** False for one from an earlier version of the agent, with another socket folder. */
  hasSocketsHere(instance: EnvoyInstance): boolean {
    return dirname(instance.adminSocket) === this.#options.layout.socketDir;
  }

  /** The init system has restarted it: if it was not live yet, it never will be. */
  noticeRestart(unit: string): void {
    const instance = this.#instances.find((one) => one.unit === unit);
    if (instance && !instance.wasLive) this.#restarted.add(unit);
  }

  /** Ends Envoys of an earlier agent without a record. */
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

  /** Drops instances whose process is gone. True if the current one was among them. */
  async reap(): Promise<boolean> {
    const gone = this.#instances.filter((one) => this.processOf(one) === undefined);
    if (gone.length === 0) return false;
    for (const instance of gone) await this.#forget(instance);
    return gone.some((one) => one.role === 'serving');
  }

  /** Ends drained instances after their deadline. Resolves with the ms until the next deadline. */
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

  /** Starts an Envoy when there is none. It is the current one at once, because nothing can be lost. */
  async startFresh(spec: EnvoySpec, signal: AbortSignal): Promise<StartOutcome> {
    const instance = await this.launch(spec, 'serving');
    return this.waitLive(instance, signal);
  }

  /** Waits until an instance is live, has ended, or its time is up. */
  async waitLive(instance: EnvoyInstance, signal: AbortSignal, guard?: EnvoyInstance): Promise<StartOutcome> {
    const { liveTimeoutMs } = this.#options;
    let word: string | undefined;
    const outcome = await poll<StartOutcome>(
      async () => {
        const hasEnded = !this.processOf(instance) || this.#restarted.has(instance.unit);
        if (hasEnded) return { type: 'failed', reason: await this.#lastWords(instance) };
        word = await readState(this.adminOf(instance));
        if (word === 'LIVE') return { type: 'live' };
        const isOrphan = guard !== undefined && !this.processOf(guard);
        return isOrphan ? { type: 'failed', reason: 'the Envoy in charge ended meanwhile' } : undefined;
      },
      { ms: liveTimeoutMs, everyMs: LIVE_POLL_MS, signal },
    );
    if (outcome?.type === 'failed' && instance.role === 'serving') await this.end(instance);
    if (outcome?.type === 'live') {
      // Envoy has read it, but systemd would need it for a restart
      if (this.#options.runner.kind === 'supervisor') await this.#removeStartFile(instance);
      await this.#options.state.update({ lastGood: instance.spec });
      if (instance.role === 'serving') await this.#update({ ...instance, wasLive: true });
    }
    if (outcome === undefined && !this.processOf(instance)) {
      return { type: 'failed', reason: await this.#lastWords(instance) };
    }
    if (outcome === undefined && signal.aborted) return { type: 'interrupted' };
    const state = word ?? 'its admin endpoint does not answer';
    return outcome ?? { type: 'slow', reason: `not live after ${liveTimeoutMs / 1000} s: ${state}` };
  }

  /** Ends all of them and cuts open connections. */
  async stopAll(): Promise<void> {
    await Promise.all(this.#instances.map((one) => this.end(one)));
    await this.#options.migration.release(this.#options.layout.key);
  }

  /** Starts an Envoy: as hot restart of `parent`, otherwise with its own base id. */
  async launch(spec: EnvoySpec, role: 'starting' | 'serving', parent?: EnvoyInstance): Promise<EnvoyInstance> {
    const { state, layout, runner, identity, serviceId, drain } = this.#options;
    const place = parent
      ? { baseId: parent.baseId, epoch: parent.epoch + 1 }
      : { baseId: await this.#options.baseIds.claim(), epoch: 0 };
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
      role,
    };
    // Recorded first: the next agent would end a process without a record, but drops a record without a process
    await this.#setInstances([...this.#instances, instance]);
    await this.#writeStartFile(instance, secret);
    this.#logStart.set(n, await logSize(this.#logFile));
    await runner.start({
      serviceId,
      serviceKey: layout.key,
      name: instance.unit,
      kind: 'envoy',
      command: envoyCommand(instance, layout, drain),
      env: { PATH: '/usr/bin:/bin', HOME: layout.filesDir },
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

  /** Instances of an earlier version of the agent have none. */
  async #removeStartFile({ startFile }: Partial<EnvoyInstance>): Promise<void> {
    if (startFile !== undefined) await rm(startFile, { force: true });
  }

  /** True for the secret of one of these Envoys, including one that is about to begin or end. */
  knowsSecret(secret: string): boolean {
    const digest = digestAdsSecret(secret);
    return this.#instances.some(({ secretDigest }) => secretDigest !== undefined && isSameSecret(secretDigest, digest));
  }

  /** Records one as the current Envoy. `old` is not restarted, and ends after `drainMs`. */
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

  /** No further hot restart of this one is possible. */
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

  async #lastWords(instance: EnvoyInstance): Promise<string> {
    const since = this.#logStart.get(instance.n);
    const size = await logSize(this.#logFile);
    const bytes = since === undefined || since > size ? undefined : size - since;
    return lastWords(await tailLog(this.#logFile, 200, bytes)) || 'Envoy ended without a word';
  }
}
