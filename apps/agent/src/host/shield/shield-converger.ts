import { Backoff, type Logger } from '@flotilla/kit';
import { digestBundle } from '@flotilla/policy';
import type { fleet, ServiceLayout } from '@flotilla/proto';
import { digestOf } from '../envoy/instance.ts';
import type { ServiceIdentity } from '../identity.ts';
import { lastWords, tailLog } from '../log-tail.ts';
import { stageCommand } from '../program-stage.ts';
import { poll, SerialLoop } from '../serial-loop.ts';
import type { StateFile } from '../state-file.ts';
import type { UnitRunner } from '../units/types.ts';
import { PolicyStage } from './policy-stage.ts';
import { readLivePolicy } from './read-live-policy.ts';
import { removeShieldSockets, shieldArguments } from './shield-process.ts';
import { validateBundle } from './validate-bundle.ts';

const LIVE_TIMEOUT_MS = 15_000;
const STOP_GRACE_MS = 5_000;
/** Envoy may still call the filter while the listener that drops it is on its way. */
const LINGER_MS = 15_000;
const STABLE_MS = 30_000;

export interface ShieldStatus {
  readonly running: boolean;
  /** Digest of the bundle that the filter says it runs. */
  readonly policyDigest: string;
  readonly policyError: string;
  readonly settled: bigint;
  readonly restarts: number;
}

export interface ShieldConvergerOptions {
  readonly serviceId: string;
  readonly layout: ServiceLayout;
  readonly dataDir: string;
  readonly identity: ServiceIdentity | undefined;
  readonly state: StateFile;
  readonly runner: UnitRunner;
  readonly flotillaCommand: readonly string[];
  readonly logger: Logger;
  readonly prepare: () => Promise<void>;
  /** Awaited before a filter that runs is ended. Must not reject. */
  readonly onEnding: () => Promise<void>;
  readonly onStatus: (status: ShieldStatus) => void;
}

interface Wish {
  readonly service: fleet.DesiredService;
  readonly stopped: boolean;
}

/**
 * Brings the filter of one service to what is wanted.
 *
 * *Absent* when no filter is wanted: a running one lingers for a while, because Envoy may still ask it, then ends. *Wanted*: the
 * bundle is staged and checked by the filter's own validation; a good one becomes current, a bad one is told and the current one
 * stays. A filter that is not running is started, with back-off after it ended early; one with other arguments is started anew.
 * *Settled* once the filter itself names the digest of the bundle, or the bundle was refused.
 */
export class ShieldConverger {
  readonly #options: ShieldConvergerOptions;
  readonly #stage: PolicyStage;
  readonly #backoff = new Backoff({ initialMs: 100, maxMs: 10_000, jitter: 0.2 });
  /** For a filter that was live before it ended: it never stays away for long. */
  readonly #revival = new Backoff({ initialMs: 100, maxMs: 1_000, jitter: 0.2 });
  #wanted: Wish | undefined;
  /** What the running pass has seen of it. */
  #seen: Wish | undefined;
  #refused: { digest: string; reason: string } | undefined;
  #status: ShieldStatus = { running: false, policyDigest: '', policyError: '', settled: 0n, restarts: 0 };
  #startedAt = 0;
  #retryAt = 0;
  #unwantedSince: number | undefined;
  #mustRestart = false;
  /** Of the newest process: it has told its policy. One from before the agent's restart counts, too. */
  #wasLive = true;
  readonly loop: SerialLoop;

  constructor(options: ShieldConvergerOptions) {
    this.#options = options;
    this.#stage = new PolicyStage(options.layout, options.identity);
    this.loop = new SerialLoop((signal) => this.#guardedPass(signal));
    if (this.#process())
      this.#status = { ...this.#status, running: true, policyDigest: options.state.value.policyDigest };
  }

  get status(): ShieldStatus {
    return this.#status;
  }

  want(service: fleet.DesiredService, stopped: boolean): void {
    const before = this.#wanted;
    if (before?.service.generation === service.generation && before.stopped === stopped) return;
    this.#wish({ service, stopped });
    this.#refused = undefined;
    this.loop.interrupt();
  }

  noticeExit(): void {
    if (!this.#process()) this.#setStatus({ running: false });
    this.loop.interrupt();
  }

  restart(): void {
    this.#mustRestart = true;
    this.#wish(this.#wanted && { ...this.#wanted });
    this.loop.interrupt();
  }

  async adopt(): Promise<void> {
    const { runner, layout, state } = this.#options;
    for (const name of (await runner.list(layout.key)).keys()) {
      const isStray = name.startsWith('shield-') && name !== state.value.shield?.unit;
      if (isStray) await runner.stop({ serviceKey: layout.key, name }, STOP_GRACE_MS);
    }
    if (this.#process()) this.#setStatus({ running: true, policyDigest: state.value.policyDigest });
  }

  async stop(): Promise<void> {
    const { runner, layout, state } = this.#options;
    const unit = state.value.shield?.unit;
    if (this.#process()) await this.#options.onEnding();
    if (unit !== undefined) await runner.stop({ serviceKey: layout.key, name: unit }, STOP_GRACE_MS);
    await state.update({ shield: undefined, policyDigest: '' });
    await removeShieldSockets(layout);
    this.#setStatus({ running: false, policyDigest: '' });
  }

  async #guardedPass(signal: AbortSignal): Promise<number | undefined> {
    try {
      return await this.#pass(signal);
    } catch (error) {
      this.#options.logger.warn({ event: 'shield.converge_failed', err: error }, 'trying again');
      const policyError = error instanceof Error ? error.message : String(error);
      this.#setStatus({ policyError, settled: this.#wanted?.service.generation ?? 0n });
      return this.#backoff.next();
    }
  }

  async #pass(signal: AbortSignal): Promise<number | undefined> {
    const wanted = this.#wanted;
    this.#seen = wanted;
    if (!wanted) return undefined;
    const { generation, shield } = wanted.service;
    if (wanted.stopped || !shield) {
      const wait = await this.#leave(wanted.stopped);
      this.#setStatus({ settled: generation, policyError: '' });
      return wait;
    }
    this.#unwantedSince = undefined;
    await this.#options.prepare();
    // The running filter comes back before a new bundle is looked at
    const crashWait = (await this.#stage.current()) === undefined ? undefined : await this.#ensureRunning(shield);
    if (crashWait !== undefined) return crashWait;
    const problem = await this.#takeBundle(shield.bundle, signal);
    if (signal.aborted) return 0;
    if (problem !== undefined && (await this.#stage.current()) === undefined) {
      this.#setStatus({ policyError: problem, settled: generation, running: false });
      return undefined;
    }
    const wait = await this.#ensureRunning(shield);
    if (wait !== undefined) return wait;
    const live = await this.#waitDigest(problem === undefined ? shield.bundle?.digest : undefined, signal);
    if (signal.aborted) return 0;
    return this.#conclude(live, problem, wanted.service);
  }

  async #conclude(
    live: string | undefined,
    problem: string | undefined,
    service: fleet.DesiredService,
  ): Promise<number | undefined> {
    const { state, layout } = this.#options;
    const wantedDigest = service.shield?.bundle?.digest ?? '';
    const isLive = live !== undefined && (problem !== undefined || live === wantedDigest);
    const words = isLive ? '' : lastWords(await tailLog(`${layout.logDir}/shield.log`, 20));
    const policyError =
      problem ?? (isLive ? '' : `the filter does not run policy ${wantedDigest.slice(0, 12)}: ${words}`);
    await state.update({ policyDigest: live ?? '' });
    if (isLive) {
      this.#wasLive = true;
      this.#backoff.reset();
      await this.#stage.prune();
    }
    this.#setStatus({
      running: this.#process() !== undefined,
      policyDigest: live ?? '',
      policyError,
      settled: service.generation,
    });
    return isLive ? undefined : 1_000;
  }

  /** Stages, checks and makes current. Resolves with the load error of a bundle that is refused. */
  async #takeBundle(bundle: fleet.PolicyBundle | undefined, signal: AbortSignal): Promise<string | undefined> {
    if (!bundle) return 'no policy bundle was given';
    if ((await this.#stage.current()) === bundle.digest) return undefined;
    if (this.#refused?.digest === bundle.digest) return this.#refused.reason;
    const digest = digestBundle(bundle.files);
    if (digest !== bundle.digest) return `the files have digest ${digest}, not ${bundle.digest}`;
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
    const program = await this.#program();
    return validateBundle(folder, { program, identity, workDir: layout.filesDir, env: this.#environment(), signal });
  }

  /** Starts the filter unless it runs with these arguments. Resolves with milliseconds when it is too early to. */
  async #ensureRunning(shield: fleet.ShieldSpec): Promise<number | undefined> {
    const { runner, state, layout, identity, serviceId } = this.#options;
    const args = shieldArguments(shield, layout, state.value.nodeId);
    const argsDigest = digestOf(JSON.stringify([this.#options.flotillaCommand, args, identity?.uid]));
    const known = state.value.shield;
    const isRunning = this.#process() !== undefined;
    if (known && isRunning && known.argsDigest === argsDigest && !this.#mustRestart) return undefined;
    const now = performance.now();
    if (known && !isRunning && !this.#mustRestart) {
      if (now - this.#startedAt > STABLE_MS) this.#revival.reset();
      const backoff = this.#wasLive ? this.#revival : this.#backoff;
      if (this.#retryAt === 0) this.#retryAt = now + backoff.next() - 100;
      if (now < this.#retryAt) return this.#retryAt - now;
      this.#setStatus({ restarts: this.#status.restarts + 1 });
    }
    if (known) await this.stop();
    this.#retryAt = 0;
    this.#mustRestart = false;
    const unit = `shield-${await state.takeNumber()}`;
    await state.update({ shield: { unit, argsDigest } });
    this.#startedAt = performance.now();
    this.#wasLive = false;
    await runner.start({
      serviceId,
      serviceKey: layout.key,
      name: unit,
      kind: 'shield',
      command: [...(await this.#program()), 'shield', ...args],
      env: this.#environment(),
      identity,
      workDir: layout.filesDir,
      logFile: `${layout.logDir}/shield.log`,
      writableDirs: [layout.runtimeDir],
    });
    return undefined;
  }

  /** The digest that the filter says it runs, once it is `digest` (or at once any, when none is waited for). */
  async #waitDigest(digest: string | undefined, signal: AbortSignal): Promise<string | undefined> {
    let last: string | undefined;
    await poll(
      async () => {
        if (!this.#process()) return 'gone';
        last = await readLivePolicy(this.#options.layout.shieldAdminSocket);
        return last !== undefined && (digest === undefined || last === digest) ? last : undefined;
      },
      { ms: LIVE_TIMEOUT_MS, everyMs: 50, signal },
    );
    return last;
  }

  async #leave(isAtOnce: boolean): Promise<number | undefined> {
    if (!this.#options.state.value.shield) {
      await this.#stage.clear().catch(() => undefined);
      return undefined;
    }
    this.#unwantedSince ??= performance.now();
    const left = this.#unwantedSince + LINGER_MS - performance.now();
    if (!isAtOnce && left > 0) return left;
    await this.stop();
    if (!isAtOnce) await this.#stage.clear();
    return undefined;
  }

  async #program(): Promise<readonly string[]> {
    const { flotillaCommand, identity, dataDir } = this.#options;
    return identity ? stageCommand(flotillaCommand, dataDir) : flotillaCommand;
  }

  #environment(): Record<string, string> {
    return { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: this.#options.layout.filesDir };
  }

  #process() {
    const unit = this.#options.state.value.shield?.unit;
    return unit === undefined
      ? undefined
      : this.#options.runner.find({ serviceKey: this.#options.layout.key, name: unit });
  }

  /** From here on only a pass that has seen this wish settles the generation. */
  #wish(wanted: Wish | undefined): void {
    this.#wanted = wanted;
    const generation = wanted?.service.generation ?? 0n;
    // A wish by hand keeps the generation: it is not settled any more
    if (this.#status.settled >= generation) this.#status = { ...this.#status, settled: generation - 1n };
  }

  #setStatus(change: Partial<ShieldStatus>): void {
    const { settled } = this.#seen === this.#wanted ? { ...this.#status, ...change } : this.#status;
    const next = { ...this.#status, ...change, settled };
    const isSame = (Object.keys(next) as Array<keyof ShieldStatus>).every((key) => next[key] === this.#status[key]);
    this.#status = next;
    if (!isSame) this.#options.onStatus(next);
  }
}
