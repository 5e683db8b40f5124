import { Backoff, type Logger, toErrorMessage } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import { Convergence } from '../convergence.ts';
import { Revival } from '../revival.ts';
import { SerialLoop, untilAborted } from '../serial-loop.ts';
import type { StateFile } from '../state-file.ts';
import { EnvoyReplacement, type EnvoyReplacementOptions } from './envoy-replacement.ts';
import type { EnvoySet, StartOutcome } from './envoy-set.ts';
import type { EnvoySpec } from './instance.ts';
import { SpecSource, type SpecSourceOptions } from './spec-source.ts';

const SLOW_POLL_MS = 1_000;

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

export interface EnvoyConvergerOptions extends SpecSourceOptions {
  readonly state: StateFile;
  readonly set: EnvoySet;
  readonly replacement: Omit<EnvoyReplacementOptions, 'set' | 'closing'>;
  readonly logger: Logger;
  readonly prepare: () => Promise<void>;
  /** All Envoys have ended because the service must stop. */
  readonly onStopped: (signal: AbortSignal) => Promise<void>;
  readonly onStatus: () => void;
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
  readonly #source: SpecSource;
  readonly #backoff = new Backoff({ initialMs: 100, maxMs: 10_000, jitter: 0.2 });
  readonly #revival = new Revival();
  readonly #replacement: EnvoyReplacement;
  readonly #convergence: Convergence<EnvoyStatus>;
  #refused: { digest: string; reason: string; retryAt: number } | undefined;
  /** For the last live Envoy after its end. */
  #retryAt = 0;
  #restartWish: 'none' | 'graceful' | 'hard' = 'none';
  readonly loop: SerialLoop;

  constructor(options: EnvoyConvergerOptions) {
    this.#options = options;
    this.loop = new SerialLoop((signal) => this.#guardedPass(signal));
    this.#source = new SpecSource(options);
    this.#replacement = new EnvoyReplacement({ ...options.replacement, set: options.set, closing: this.loop.closing });
    const { serving } = options.set;
    const runs = serving?.wasLive === true && options.set.processOf(serving) !== undefined;
    this.#convergence = new Convergence<EnvoyStatus>({
      initial: {
        phase: runs ? fleet.NodePhase.RUNNING : fleet.NodePhase.PREPARING,
        error: '',
        applied: runs ? BigInt(options.state.value.appliedGeneration) : 0n,
        settled: 0n,
        restarts: 0,
      },
      settling: ['settled', 'applied'],
      onStatus: options.onStatus,
    });
  }

  get status(): EnvoyStatus {
    return this.#convergence.status;
  }

  get set(): EnvoySet {
    return this.#options.set;
  }

  want(service: fleet.DesiredService): void {
    if (!this.#convergence.want(service)) return;
    this.#refused = undefined;
    this.#backoff.reset();
    this.loop.interrupt();
  }

  /** The current Envoy has ended, which is most urgent. */
  noticeExit(unit: string): void {
    if (this.set.serving?.unit === unit) this.loop.interrupt();
    else this.loop.wake();
  }

  noticeRestart(): void {
    this.#convergence.tell({ restarts: this.status.restarts + 1 });
  }

  /** Replaces (`graceful`) or stops and starts (`hard`) the Envoy once. */
  restart(kind: 'graceful' | 'hard'): void {
    this.#restartWish = kind;
    this.#convergence.wantAgain();
    this.loop.interrupt();
  }

  async #guardedPass(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#pass(signal);
    } catch (error) {
      this.#options.logger.warn({ event: 'envoy.converge_failed', err: error }, 'trying again');
      const reason = toErrorMessage(error);
      return this.#fail(reason);
    }
  }

  async #pass(signal: AbortSignal): Promise<number | undefined> {
    const { set, state } = this.#options;
    const wanted = this.#convergence.begin();
    if (!wanted) return undefined;
    const hasCrashed = await set.reap();
    const generation = wanted.generation;
    if (wanted.runState === fleet.RunState.STOPPED) {
      await set.stopAll();
      await state.update({ lastGood: undefined });
      await this.#options.onStopped(signal);
      if (signal.aborted) return 0;
      this.#restartWish = 'none';
      this.#convergence.tell({ phase: fleet.NodePhase.STOPPED, error: '', applied: generation, settled: generation });
      return undefined;
    }
    await this.#options.prepare();
    if (hasCrashed || (!set.serving && !set.starting && state.value.lastGood)) {
      const wait = await this.#revive(signal, hasCrashed);
      if (wait !== undefined) return wait;
    }
    if (this.status.settled < generation && this.status.phase !== fleet.NodePhase.RUNNING) {
      this.#convergence.tell({ phase: fleet.NodePhase.PREPARING });
    }
    const spec = await untilAborted(this.#source.resolve(wanted), signal);
    if (!spec) return 0;
    const wait = spec.ok ? await this.#converge(spec.value, generation, signal) : this.#fail(spec.error);
    return soonest(wait, await set.endDrained());
  }

  /** Restarts the last live Envoy. Resolves with the delay in ms before the next attempt, if any. */
  async #revive(signal: AbortSignal, hasCrashed: boolean): Promise<number | undefined> {
    const { set, state, logger } = this.#options;
    const lastGood = state.value.lastGood;
    if (hasCrashed) {
      this.#retryAt = performance.now() + this.#revival.next();
      this.#convergence.tell({ restarts: this.status.restarts + 1, phase: fleet.NodePhase.PREPARING });
      logger.warn({ event: 'envoy.ended', restarts: this.status.restarts }, 'Envoy ended and is started again');
    }
    const wait = this.#retryAt - performance.now();
    if (wait > 0) return wait;
    // A successor from an earlier agent may have taken over already
    if (set.starting && (await this.#replacement.takeOver(set.starting, signal)).type === 'live') return undefined;
    if (!lastGood || set.serving) return undefined;
    this.#revival.noteStart();
    const outcome = await set.startFresh(lastGood, signal);
    if (outcome.type === 'failed') {
      // Next, the desired one is tried: it may differ from the last good one
      await set.reap();
      this.#retryAt = performance.now() + this.#refuse(lastGood, outcome.reason);
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
      // Also if it is no longer desired: it may have the listeners already
      const outcome = await this.#replacement.takeOver(pending, signal);
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
    const problem = await this.#source.validate(spec, signal);
    if (signal.aborted) return 0;
    if (problem !== undefined) return this.#refuse(spec, problem);
    if (this.#refused?.digest !== spec.digest && this.#replacement.mustWait(spec)) return 200;
    this.#restartWish = 'none';
    if (!serving) this.#revival.noteStart();
    // A second attempt must not affect the connections of the current Envoy again
    const how = this.#refused?.digest === spec.digest ? 'beside' : 'auto';
    const outcome = serving ? await this.#replacement.replace(spec, signal, how) : await set.startFresh(spec, signal);
    return this.#conclude(outcome, spec, generation);
  }

  async #conclude(outcome: StartOutcome, spec: EnvoySpec, generation: bigint): Promise<number | undefined> {
    switch (outcome.type) {
      case 'live':
        this.#refused = undefined;
        await this.#publish(spec);
        this.#convergence.tell({ phase: fleet.NodePhase.RUNNING, error: '', applied: generation, settled: generation });
        return undefined;
      case 'slow':
        this.#convergence.tell({ phase: fleet.NodePhase.PREPARING, error: outcome.reason, settled: generation });
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
    this.#convergence.tell({ phase, error: reason, settled: this.#convergence.wanted?.generation ?? 0n });
    return Math.max(100, this.#refused ? this.#refused.retryAt - performance.now() : this.#backoff.next());
  }

  async #publish(spec: EnvoySpec): Promise<void> {
    const bootstrap = this.#convergence.wanted?.bootstrapJson;
    if (bootstrap) await this.#source.publish(spec, bootstrap, this.#options.state.value.instances);
  }
}

function soonest(...waits: ReadonlyArray<number | undefined>): number | undefined {
  const set = waits.filter((wait) => wait !== undefined);
  return set.length > 0 ? Math.min(...set) : undefined;
}
