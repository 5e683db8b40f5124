import { Backoff, type Logger, toErrorMessage } from '@flotilla/kit';
import { digestBundle } from '@flotilla/policy';
import { fleet } from '@flotilla/proto';
import { Convergence } from '../convergence.ts';
import { extractReason, tailLog } from '../log-tail.ts';
import { poll, SerialLoop } from '../serial-loop.ts';
import { serviceSocket } from '../service-socket.ts';
import { PolicyStage } from './policy-stage.ts';
import { readLivePolicy, readServingUnit } from './read-live-policy.ts';
import { shieldEnvironment } from './shield-command.ts';
import { ShieldProcess, type ShieldProcessOptions } from './shield-process.ts';
import { validateBundle } from './validate-bundle.ts';

const LIVE_TIMEOUT_MS = 15_000;
/** Envoy may still call the filter until it has received the listener that no longer uses it. */
const LINGER_MS = 15_000;

export interface ShieldStatus {
  readonly running: boolean;
  /** Digest of the bundle that the filter reports as running. */
  readonly policyDigest: string;
  readonly policyError: string;
  readonly settled: bigint;
  readonly restarts: number;
}

export interface ShieldConvergerOptions
  extends Omit<ShieldProcessOptions, 'onEnded' | 'onRevival' | 'readPolicy' | 'readServing'> {
  readonly logger: Logger;
  readonly prepare: () => Promise<void>;
  readonly onStatus: () => void;
}

/**
 * Brings the filter of one service to its desired state.
 *
 * *Absent*: no filter is desired. A running filter ends after LINGER_MS, because Envoy may still call it.
 * *Wanted*: the bundle is staged and validated by the filter. A valid bundle becomes current. An invalid one is reported, and the
 * current bundle stays. A missing filter is started, and a filter with other arguments is replaced.
 * *Settled*: the filter reports the digest of the bundle, or the bundle was refused.
 */
export class ShieldConverger {
  readonly #options: ShieldConvergerOptions;
  readonly #stage: PolicyStage;
  readonly #process: ShieldProcess;
  readonly #convergence: Convergence<ShieldStatus>;
  /** Delays the next pass after a failed one. */
  readonly #backoff = new Backoff({ initialMs: 100, maxMs: 10_000, jitter: 0.2 });
  #refused: { digest: string; reason: string } | undefined;
  #unwantedSince: number | undefined;
  readonly loop: SerialLoop;

  constructor(options: ShieldConvergerOptions) {
    this.#options = options;
    this.#stage = new PolicyStage(options.layout, options.identity);
    this.loop = new SerialLoop((signal) => this.#guardedPass(signal));
    this.#process = new ShieldProcess({
      ...options,
      readPolicy: (path) => readLivePolicy(serviceSocket(path, options.identity)),
      readServing: () => readServingUnit(serviceSocket(options.layout.shieldAdminSocket, options.identity)),
      onEnded: () => this.#convergence.report({ running: false, policyDigest: '' }),
      onRevival: () => this.#convergence.report({ restarts: this.status.restarts + 1 }),
    });
    const runs = this.#process.running !== undefined;
    this.#convergence = new Convergence({
      initial: {
        running: runs,
        policyDigest: runs ? options.state.value.policyDigest : '',
        policyError: '',
        settled: 0n,
        restarts: 0,
      },
      settling: ['settled'],
      onStatus: options.onStatus,
    });
  }

  get status(): ShieldStatus {
    return this.#convergence.status;
  }

  want(service: fleet.DesiredService): void {
    if (!this.#convergence.want(service)) return;
    this.#refused = undefined;
    this.loop.interrupt();
  }

  noticeExit(): void {
    if (!this.#process.running) this.#convergence.report({ running: false });
    this.loop.interrupt();
  }

  restart(): void {
    this.#process.restartNext();
    this.#convergence.wantAgain();
    this.loop.interrupt();
  }

  async adopt(): Promise<void> {
    await this.#process.adopt();
    const { policyDigest } = this.#options.state.value;
    if (this.#process.running) this.#convergence.report({ running: true, policyDigest });
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  async #guardedPass(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#pass(signal);
    } catch (error) {
      this.#options.logger.warn(
        { event: 'shield.converge_failed', err: error },
        'cannot bring the filter to its desired state; trying again',
      );
      const policyError = toErrorMessage(error);
      this.#convergence.report({ policyError, settled: this.#convergence.wanted?.generation ?? 0n });
      return this.#backoff.next();
    }
  }

  async #pass(signal: AbortSignal): Promise<number | undefined> {
    const wanted = this.#convergence.begin();
    if (!wanted) return undefined;
    const { generation, shield } = wanted;
    const isStopped = wanted.runState === fleet.RunState.STOPPED;
    if (isStopped || !shield) {
      const wait = await this.#withdraw(isStopped);
      this.#convergence.report({ settled: generation, policyError: '' });
      return wait;
    }
    this.#unwantedSince = undefined;
    await this.#options.prepare();
    // A filter that has ended is started again before a new bundle is validated.
    const crashWait = (await this.#stage.current()) === undefined ? undefined : await this.#process.ensure(shield);
    if (crashWait !== undefined) return crashWait;
    const problem = await this.#activateBundle(shield.bundle, signal);
    if (signal.aborted) return 0;
    if (problem !== undefined && (await this.#stage.current()) === undefined) {
      this.#convergence.report({ policyError: problem, settled: generation, running: false });
      return undefined;
    }
    const wait = await this.#process.ensure(shield);
    if (wait !== undefined) return wait;
    const live = await this.#waitDigest(problem === undefined ? shield.bundle?.digest : undefined, signal);
    if (live !== undefined) await this.#process.alignStandby(live, signal);
    if (signal.aborted) return 0;
    return (await this.#conclude(live, problem, wanted)) ?? this.#process.ensureStandby(shield);
  }

  async #conclude(
    live: string | undefined,
    problem: string | undefined,
    service: fleet.DesiredService,
  ): Promise<number | undefined> {
    const { state, layout } = this.#options;
    const wantedDigest = service.shield?.bundle?.digest ?? '';
    const isLive = live !== undefined && (problem !== undefined || live === wantedDigest);
    const reason = isLive ? '' : extractReason(await tailLog(`${layout.logDir}/shield.log`, 20));
    const policyError =
      problem ?? (isLive ? '' : `the filter does not run policy ${wantedDigest.slice(0, 12)}: ${reason}`);
    await state.update({ policyDigest: live ?? '' });
    if (isLive) {
      this.#process.noteLive();
      this.#backoff.reset();
      await this.#stage.prune();
    }
    this.#convergence.report({
      running: this.#process.running !== undefined,
      policyDigest: live ?? '',
      policyError,
      settled: service.generation,
    });
    return isLive ? undefined : 1_000;
  }

  /** Stages and validates the bundle and makes it current. Resolves with the reason if the bundle is refused. */
  async #activateBundle(bundle: fleet.PolicyBundle | undefined, signal: AbortSignal): Promise<string | undefined> {
    if (!bundle) return 'the desired state has no policy bundle';
    if ((await this.#stage.current()) === bundle.digest) return undefined;
    if (this.#refused?.digest === bundle.digest) return this.#refused.reason;
    const digest = digestBundle(bundle.files);
    if (digest !== bundle.digest) return `the files of the bundle have digest ${digest} instead of ${bundle.digest}`;
    const staged = await this.#stage.stage(bundle);
    const problem = staged.ok ? await this.#validate(staged.value, signal) : staged.error;
    if (signal.aborted) return undefined;
    if (problem === undefined) await this.#stage.makeCurrent(bundle.digest);
    else {
      this.#refused = { digest: bundle.digest, reason: problem };
      await this.#stage.prune();
    }
    return problem;
  }

  async #validate(folder: string, signal: AbortSignal): Promise<string | undefined> {
    const { identity, layout } = this.#options;
    const program = await this.#process.program();
    const env = shieldEnvironment(layout);
    return validateBundle(folder, { program, identity, workDir: layout.filesDir, env, signal });
  }

  /**
   * Waits until the filter reports `digest` as running, or any digest if `digest` is undefined. Resolves with the last reported
   * digest.
   */
  async #waitDigest(digest: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    const { layout, identity } = this.#options;
    let last: string | undefined;
    await poll(
      async () => {
        if (!this.#process.running) return 'gone';
        last = await readLivePolicy(serviceSocket(layout.shieldAdminSocket, identity));
        return last !== undefined && (digest === undefined || last === digest) ? last : undefined;
      },
      { ms: LIVE_TIMEOUT_MS, everyMs: 50, signal },
    );
    return last;
  }

  async #withdraw(isImmediate: boolean): Promise<number | undefined> {
    if (!this.#options.state.value.shield) {
      await this.#stage.clear().catch(() => undefined);
      return undefined;
    }
    this.#unwantedSince ??= performance.now();
    const left = this.#unwantedSince + LINGER_MS - performance.now();
    if (!isImmediate && left > 0) return left;
    await this.stop();
    if (!isImmediate) await this.#stage.clear();
    return undefined;
  }
}
