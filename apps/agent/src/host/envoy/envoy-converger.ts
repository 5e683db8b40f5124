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
  /** The reason why the phase is FAILED or the newest generation does not run. */
  readonly error: string;
  /** Newest generation that runs, or that is stopped as desired. */
  readonly applied: bigint;
  /** Newest generation that has succeeded or failed. */
  readonly settled: bigint;
  readonly restarts: number;
}

export interface EnvoyConvergerOptions extends SpecSourceOptions {
  readonly state: StateFile;
  readonly set: EnvoySet;
  readonly replacement: Omit<EnvoyReplacementOptions, 'set' | 'closing'>;
  readonly logger: Logger;
  readonly prepare: () => Promise<void>;
  /** Called when all Envoys have ended because the service must stop. */
  readonly onStopped: (signal: AbortSignal) => Promise<void>;
  readonly onStatus: () => void;
}

/**
 * Brings the Envoy of one service to its desired state.
 *
 * *Preparing*: there is a new generation. The version is downloaded, and the bootstrap is written and validated by Envoy. If no
 * Envoy is in charge, one is started. An Envoy with another spec is replaced.
 * *Running*: the Envoy in charge is live. If a newer generation is bad, the Envoy keeps running, and the error is reported.
 * *Failed*: no Envoy is live. Attempts are repeated with growing delays.
 * *Stopped*: the service must not run.
 *
 * An Envoy that ends is started again with the last live spec, before any other work.
 */
export class EnvoyConverger {
  readonly #options: EnvoyConvergerOptions;
  readonly #source: SpecSource;
  readonly #backoff = new Backoff({ initialMs: 100, maxMs: 10_000, jitter: 0.2 });
  readonly #revival = new Revival();
  readonly #replacement: EnvoyReplacement;
  readonly #convergence: Convergence<EnvoyStatus>;
  #refused: { digest: string; reason: string; retryAt: number } | undefined;
  /** Time of the next start of the last live spec after Envoy has ended. */
  #retryAt = 0;
  #requestedRestart: 'none' | 'graceful' | 'hard' = 'none';
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

  /** Handles the end of an Envoy. If it was the current one, the running pass is interrupted. */
  noticeExit(unit: string): void {
    if (this.set.serving?.unit === unit) this.loop.interrupt();
    else this.loop.wake();
  }

  noticeRestart(): void {
    this.#convergence.report({ restarts: this.status.restarts + 1 });
  }

  /** Replaces the Envoy (`graceful`), or stops and starts it (`hard`). */
  restart(kind: 'graceful' | 'hard'): void {
    this.#requestedRestart = kind;
    this.#convergence.wantAgain();
    this.loop.interrupt();
  }

  async #guardedPass(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#pass(signal);
    } catch (error) {
      this.#options.logger.warn(
        { event: 'envoy.converge_failed', err: error },
        'cannot bring Envoy to its desired state; trying again',
      );
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
      this.#requestedRestart = 'none';
      this.#convergence.report({ phase: fleet.NodePhase.STOPPED, error: '', applied: generation, settled: generation });
      return undefined;
    }
    await this.#options.prepare();
    if (hasCrashed || this.#isRevivalOpen()) {
      const wait = await this.#revive(signal, hasCrashed);
      if (wait !== undefined) return wait;
    }
    if (this.status.settled < generation && this.status.phase !== fleet.NodePhase.RUNNING) {
      this.#convergence.report({ phase: fleet.NodePhase.PREPARING });
    }
    const spec = await untilAborted(this.#source.resolve(wanted), signal);
    if (!spec) return 0;
    const wait = spec.ok ? await this.#converge(spec.value, generation, signal) : this.#fail(spec.error);
    return earliest(wait, await set.endDrained());
  }

  /** Whether the last live spec does not run, or was started again and is not known to be live because the pass was interrupted. */
  #isRevivalOpen(): boolean {
    const { set, state } = this.#options;
    const { lastGood } = state.value;
    if (!lastGood || set.starting) return false;
    return !set.serving || (!set.serving.wasLive && set.serving.spec.digest === lastGood.digest);
  }

  /** Starts the last live spec again. Resolves with the delay in milliseconds before the next attempt, if any. */
  async #revive(signal: AbortSignal, hasCrashed: boolean): Promise<number | undefined> {
    const { set, state, logger } = this.#options;
    const lastGood = state.value.lastGood;
    if (hasCrashed) {
      this.#retryAt = performance.now() + this.#revival.next();
      this.#convergence.report({ restarts: this.status.restarts + 1, phase: fleet.NodePhase.PREPARING });
      logger.warn(
        { event: 'envoy.ended', restarts: this.status.restarts },
        'Envoy has ended and is being started again',
      );
    }
    const wait = this.#retryAt - performance.now();
    if (wait > 0) return wait;
    // A successor that an earlier agent has started may have taken over already.
    if (set.starting && (await this.#replacement.takeOver(set.starting, signal)).type === 'live') return undefined;
    const { serving } = set;
    if (!lastGood || (serving && !this.#isRevivalOpen())) return undefined;
    if (!serving) this.#revival.noteStart();
    const outcome = await (serving ? set.waitLive(serving, signal) : set.startFresh(lastGood, signal));
    if (outcome.type === 'failed') {
      // The desired spec is tried next, because it may differ from the last good one.
      await set.reap();
      this.#retryAt = performance.now() + this.#refuse(lastGood, outcome.reason);
    }
    return undefined;
  }

  async #converge(spec: EnvoySpec, generation: bigint, signal: AbortSignal): Promise<number | undefined> {
    const { set } = this.#options;
    if (this.#requestedRestart === 'hard') {
      this.#requestedRestart = 'none';
      await set.stopAll();
    }
    const pending = set.starting;
    if (pending) {
      // The starting Envoy may have taken over the listeners, even if its spec is no longer desired.
      const outcome = await this.#replacement.takeOver(pending, signal);
      if (pending.spec.digest === spec.digest || outcome.type === 'interrupted') {
        return this.#conclude(outcome, spec, generation);
      }
    }
    const serving = set.serving;
    if (serving?.spec.digest === spec.digest && this.#requestedRestart === 'none') {
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
    this.#requestedRestart = 'none';
    if (!serving) this.#revival.noteStart();
    // A second attempt must not affect the connections of the current Envoy again.
    const how = this.#refused?.digest === spec.digest ? 'beside' : 'auto';
    const outcome = serving ? await this.#replacement.replace(spec, signal, how) : await set.startFresh(spec, signal);
    return this.#conclude(outcome, spec, generation);
  }

  async #conclude(outcome: StartOutcome, spec: EnvoySpec, generation: bigint): Promise<number | undefined> {
    switch (outcome.type) {
      case 'live':
        this.#refused = undefined;
        await this.#publish(spec);
        this.#convergence.report({
          phase: fleet.NodePhase.RUNNING,
          error: '',
          applied: generation,
          settled: generation,
        });
        return undefined;
      case 'slow':
        this.#convergence.report({ phase: fleet.NodePhase.PREPARING, error: outcome.reason, settled: generation });
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
    this.#convergence.report({ phase, error: reason, settled: this.#convergence.wanted?.generation ?? 0n });
    return Math.max(100, this.#refused ? this.#refused.retryAt - performance.now() : this.#backoff.next());
  }

  async #publish(spec: EnvoySpec): Promise<void> {
    const bootstrap = this.#convergence.wanted?.bootstrapJson;
    if (bootstrap) await this.#source.publish(spec, bootstrap, this.#options.state.value.instances);
  }
}

function earliest(...waits: ReadonlyArray<number | undefined>): number | undefined {
  const set = waits.filter((wait) => wait !== undefined);
  return set.length > 0 ? Math.min(...set) : undefined;
}
