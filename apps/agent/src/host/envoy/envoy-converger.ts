import { execFile } from 'node:child_process';
import { chmod, chown, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Backoff, err, type Logger, ok, type Result } from '@flotilla/kit';
import { fleet, type ServiceLayout } from '@flotilla/proto';
import { writeFileAtomically } from '../atomic-file.ts';
import type { ServiceIdentity } from '../identity.ts';
import { lastWords } from '../log-tail.ts';
import { stageProgram } from '../program-stage.ts';
import { SerialLoop, untilAborted } from '../serial-loop.ts';
import type { StateFile } from '../state-file.ts';
import type { ServiceHostOptions } from '../types.ts';
import { dropPrivileges, findProgram } from '../units/privileges.ts';
import type { EnvoySet, StartOutcome } from './envoy-set.ts';
import { digestOf, type EnvoySpec, validateCommand } from './instance.ts';

const run = promisify(execFile);
const VALIDATE_TIMEOUT_MS = 30_000;
const SLOW_POLL_MS = 1_000;
/** An Envoy that ran this long before it ended is started again at once. */
const STABLE_MS = 30_000;

export interface EnvoyStatus {
  readonly phase: fleet.NodePhase;
  /** Why the phase is FAILED, or why the newest generation does not run. */
  readonly error: string;
  /** Newest generation that runs (or is stopped as wanted). */
  readonly applied: bigint;
  /** Newest generation that was brought to an end, good or bad. */
  readonly settled: bigint;
  readonly restarts: number;
}

export interface EnvoyConvergerOptions {
  readonly layout: ServiceLayout;
  readonly dataDir: string;
  readonly identity: ServiceIdentity | undefined;
  readonly state: StateFile;
  readonly set: EnvoySet;
  readonly envoyDist: ServiceHostOptions['envoyDist'];
  readonly logger: Logger;
  readonly prepare: () => Promise<void>;
  readonly onStatus: (status: EnvoyStatus) => void;
}

/**
 * Brings the Envoy of one service to what is wanted.
 *
 * *Preparing* from a new generation on: the version is fetched, the bootstrap written and checked by Envoy itself. Then, with no
 * Envoy in charge, one is started; with one that differs, it is replaced; with an equal one nothing is done. *Running* once the
 * Envoy in charge is live and is the wanted one. *Failed* when there is none; tried again with back-off. When a bad generation
 * meets a running Envoy, that one stays: running, with the error told. An Envoy that ends is started again from what was
 * last live, before anything else. *Stopped* when so wanted.
 */
export class EnvoyConverger {
  readonly #options: EnvoyConvergerOptions;
  readonly #backoff = new Backoff({ initialMs: 100, maxMs: 10_000, jitter: 0.2 });
  readonly #validated = new Map<string, string | undefined>();
  #wanted: { service: fleet.DesiredService; stopped: boolean } | undefined;
  #status: EnvoyStatus = {
    phase: fleet.NodePhase.PREPARING,
    error: '',
    applied: 0n,
    settled: 0n,
    restarts: 0,
  };
  #refused: { digest: string; reason: string; retryAt: number } | undefined;
  #resolved: { generation: bigint; spec: EnvoySpec } | undefined;
  #crashedAt: number | undefined;
  #startedAt = 0;
  #restartWish: 'none' | 'graceful' | 'hard' = 'none';
  readonly loop: SerialLoop;

  constructor(options: Omit<EnvoyConvergerOptions, 'set'> & { createSet: (closing: AbortSignal) => EnvoySet }) {
    this.loop = new SerialLoop((signal) => this.#guardedPass(signal));
    this.#options = { ...options, set: options.createSet(this.loop.closing) };
    if (this.set.serving?.wasLive && this.set.processOf(this.set.serving)) {
      const applied = BigInt(options.state.value.appliedGeneration);
      this.#status = { ...this.#status, phase: fleet.NodePhase.RUNNING, applied };
    }
  }

  get status(): EnvoyStatus {
    return this.#status;
  }

  get set(): EnvoySet {
    return this.#options.set;
  }

  want(service: fleet.DesiredService, stopped: boolean): void {
    const before = this.#wanted;
    this.#wanted = { service, stopped };
    if (before?.service.generation === service.generation && before.stopped === stopped) return;
    // A change by hand keeps the generation: it is not settled any more
    if (this.#status.settled >= service.generation)
      this.#status = { ...this.#status, settled: service.generation - 1n };
    this.#refused = undefined;
    this.#resolved = undefined;
    this.#backoff.reset();
    this.loop.interrupt();
  }

  /** The Envoy in charge has ended: nothing is more urgent. */
  noticeExit(unit: string): void {
    if (this.set.serving?.unit === unit) this.loop.interrupt();
    else this.loop.wake();
  }

  noticeRestart(): void {
    this.#setStatus({ restarts: this.#status.restarts + 1 });
  }

  /** Replaces (`graceful`) or stops and starts (`hard`) the Envoy once. */
  restart(kind: 'graceful' | 'hard'): void {
    this.#restartWish = kind;
    const generation = this.#wanted?.service.generation ?? 0n;
    this.#setStatus({ settled: generation - 1n });
    this.loop.interrupt();
  }

  async #guardedPass(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#pass(signal);
    } catch (error) {
      this.#options.logger.warn({ event: 'envoy.converge_failed', err: error }, 'trying again');
      const reason = error instanceof Error ? error.message : String(error);
      return this.#fail(reason);
    }
  }

  async #pass(signal: AbortSignal): Promise<number | undefined> {
    const { set, state } = this.#options;
    const wanted = this.#wanted;
    if (!wanted) return undefined;
    const hasCrashed = await set.reap();
    const generation = wanted.service.generation;
    if (wanted.stopped) {
      await set.stopAll();
      await state.update({ lastGood: undefined });
      this.#restartWish = 'none';
      this.#setStatus({ phase: fleet.NodePhase.STOPPED, error: '', applied: generation, settled: generation });
      return undefined;
    }
    await this.#options.prepare();
    if (hasCrashed || (!set.serving && !set.starting && state.value.lastGood)) {
      const wait = await this.#revive(signal, hasCrashed);
      if (wait !== undefined) return wait;
    }
    if (this.#status.settled < generation && this.#status.phase !== fleet.NodePhase.RUNNING) {
      this.#setStatus({ phase: fleet.NodePhase.PREPARING });
    }
    const spec = await untilAborted(this.#resolveOnce(wanted.service), signal);
    if (!spec) return 0;
    const wait = spec.ok ? await this.#converge(spec.value, generation, signal) : this.#fail(spec.error);
    return soonest(wait, await set.endDrained());
  }

  /** Starts again what was last live. Resolves with the milliseconds to wait before the next try, if it is to wait. */
  async #revive(signal: AbortSignal, hasCrashed: boolean): Promise<number | undefined> {
    const { set, state, logger } = this.#options;
    const lastGood = state.value.lastGood;
    const now = performance.now();
    if (hasCrashed) {
      if (now - this.#startedAt > STABLE_MS) this.#backoff.reset();
      this.#crashedAt = now + this.#backoff.next() - 100;
      this.#setStatus({ restarts: this.#status.restarts + 1, phase: fleet.NodePhase.PREPARING });
      logger.warn({ event: 'envoy.ended', restarts: this.#status.restarts }, 'Envoy ended and is started again');
    }
    const wait = (this.#crashedAt ?? 0) - now;
    if (wait > 0) return wait;
    // A successor that an earlier agent started may have taken over already
    if (set.starting && (await set.takeOver(set.starting, signal)).type === 'live') return undefined;
    if (!lastGood || set.serving) return undefined;
    this.#startedAt = now;
    const outcome = await set.startFresh(lastGood, signal);
    if (outcome.type === 'failed') {
      // The wanted one is tried next: it may differ from the one that was good once
      await set.reap();
      this.#crashedAt = performance.now() + this.#refuse(lastGood, outcome.reason);
    }
    return undefined;
  }

  async #converge(spec: EnvoySpec, generation: bigint, signal: AbortSignal): Promise<number | undefined> {
    const { set } = this.#options;
    if (this.#restartWish === 'hard') {
      this.#restartWish = 'none';
      await set.stopAll();
    }
    const pending = set.starting;
    if (pending) {
      // Also one that is not wanted any more: it may have the listeners already
      const outcome = await set.takeOver(pending, signal);
      if (pending.spec.digest === spec.digest || outcome.type === 'interrupted') {
        return this.#conclude(outcome, spec, generation);
      }
    }
    const serving = set.serving;
    if (serving?.spec.digest === spec.digest && this.#restartWish === 'none') {
      if (serving.wasLive) return this.#conclude({ type: 'live' }, spec, generation);
      return this.#conclude(await set.waitLive(serving, signal), spec, generation);
    }
    if (this.#refused?.digest === spec.digest && performance.now() < this.#refused.retryAt) {
      return this.#refused.retryAt - performance.now();
    }
    const problem = await this.#validate(spec, signal);
    if (signal.aborted) return 0;
    if (problem !== undefined) return this.#refuse(spec, problem);
    if (this.#refused?.digest !== spec.digest && set.mustWaitToReplace(spec)) return 200;
    this.#restartWish = 'none';
    if (!serving) this.#startedAt = performance.now();
    // A second try of what failed must not touch the connections of the one in charge again
    const how = this.#refused?.digest === spec.digest ? 'beside' : 'auto';
    const outcome = serving ? await set.replace(spec, signal, how) : await set.startFresh(spec, signal);
    return this.#conclude(outcome, spec, generation);
  }

  async #conclude(outcome: StartOutcome, spec: EnvoySpec, generation: bigint): Promise<number | undefined> {
    switch (outcome.type) {
      case 'live':
        this.#refused = undefined;
        await this.#publish(spec);
        this.#setStatus({ phase: fleet.NodePhase.RUNNING, error: '', applied: generation, settled: generation });
        return undefined;
      case 'slow':
        this.#setStatus({ phase: fleet.NodePhase.PREPARING, error: outcome.reason, settled: generation });
        return SLOW_POLL_MS;
      case 'failed':
        await this.set.reap();
        return this.#refuse(spec, outcome.reason);
      case 'interrupted':
        return 0;
    }
  }

  #refuse(spec: EnvoySpec, reason: string): number {
    const wait = this.#backoff.next();
    this.#refused = { digest: spec.digest, reason, retryAt: performance.now() + wait };
    this.#fail(reason);
    return wait;
  }

  #fail(reason: string): number {
    const serving = this.set.serving;
    const phase = serving?.wasLive ? fleet.NodePhase.RUNNING : fleet.NodePhase.FAILED;
    this.#setStatus({ phase, error: reason, settled: this.#wanted?.service.generation ?? 0n });
    return Math.max(100, this.#refused ? this.#refused.retryAt - performance.now() : this.#backoff.next());
  }

  #resolveOnce(service: fleet.DesiredService): Promise<Result<EnvoySpec, string>> {
    if (this.#resolved?.generation === service.generation) return Promise.resolve(ok(this.#resolved.spec));
    return this.#resolve(service).then((found) => {
      if (found.ok) this.#resolved = { generation: service.generation, spec: found.value };
      return found;
    });
  }

  async #resolve(service: fleet.DesiredService): Promise<Result<EnvoySpec, string>> {
    const { layout, dataDir, envoyDist, identity } = this.#options;
    const found = await envoyDist.ensure(service.envoyVersion);
    if (!found.ok) return err(found.error.message);
    const bootstrapDigest = digestOf(service.bootstrapJson);
    const bootstrapFile = join(layout.dataDir, `bootstrap-${bootstrapDigest.slice(0, 12)}.json`);
    const owner = identity ? { uid: 0, gid: identity.gid } : undefined;
    await writeFileAtomically(bootstrapFile, service.bootstrapJson, { mode: 0o640, ...(owner ? { owner } : {}) });
    return ok({
      digest: digestOf(found.value.sha256, bootstrapDigest, String(identity?.uid)),
      version: found.value.version,
      binary: identity ? await stageProgram(found.value.path, dataDir) : found.value.path,
      hotRestartVersion: found.value.hotRestartVersion,
      bootstrapDigest,
      bootstrapFile,
    });
  }

  /** Envoy's own verdict on a bootstrap: what is wrong, or undefined. */
  async #validate(spec: EnvoySpec, signal: AbortSignal): Promise<string | undefined> {
    if (this.#validated.has(spec.digest)) return this.#validated.get(spec.digest);
    const { identity, layout } = this.#options;
    const { command, uid, gid } = dropPrivileges(validateCommand(spec, layout), identity, findProgram('setpriv'));
    const [program = '', ...args] = command;
    let problem: string | undefined;
    try {
      await run(program, args, {
        cwd: layout.filesDir,
        timeout: VALIDATE_TIMEOUT_MS,
        maxBuffer: 4 * 1024 * 1024,
        env: { PATH: '/usr/bin:/bin' },
        signal,
        ...(uid === undefined || gid === undefined ? {} : { uid, gid }),
      });
    } catch (error) {
      if (signal.aborted) return undefined;
      const { stderr = '', message } = error as { stderr?: string; message: string };
      problem = lastWords(stderr.split('\n').filter((line) => line !== '')) || message;
    }
    // Only the verdict on the newest is asked for again and again while it is refused
    this.#validated.clear();
    if (problem === undefined) this.#validated.set(spec.digest, problem);
    return problem;
  }

  /** The bootstrap file of the layout is that of the Envoy in charge; files that no instance needs go. */
  async #publish(spec: EnvoySpec): Promise<void> {
    const { layout, identity, state } = this.#options;
    const bytes = this.#wanted?.service.bootstrapJson;
    if (bytes && digestOf(bytes) === spec.bootstrapDigest) {
      await writeFileAtomically(layout.bootstrapFile, bytes, { mode: 0o640 });
      if (identity) await chown(layout.bootstrapFile, 0, identity.gid);
      await chmod(layout.bootstrapFile, 0o640);
    }
    const needed = new Set(state.value.instances.map((one) => one.spec.bootstrapFile));
    needed.add(spec.bootstrapFile);
    for (const name of await readdir(layout.dataDir)) {
      const path = join(layout.dataDir, name);
      if (/^bootstrap-[0-9a-f]{12}\.json$/.test(name) && !needed.has(path)) await rm(path, { force: true });
    }
  }

  #setStatus(change: Partial<EnvoyStatus>): void {
    const next = { ...this.#status, ...change };
    const isSame = (Object.keys(next) as Array<keyof EnvoyStatus>).every((key) => next[key] === this.#status[key]);
    this.#status = next;
    if (!isSame) this.#options.onStatus(next);
  }
}

function soonest(...waits: ReadonlyArray<number | undefined>): number | undefined {
  const set = waits.filter((wait) => wait !== undefined);
  return set.length > 0 ? Math.min(...set) : undefined;
}
