import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { err, type Logger, makeFolder, ok, type Result, SerialQueue, toErrorMessage } from '@flotilla/kit';
import { isDiskFull } from '../disk-full.ts';
import { tailLog } from '../host/log-tail.ts';
import { runCheck } from '../host/units/run-check.ts';
import type { UnitRunner } from '../host/units/types.ts';
import { ForwarderProcess } from './forwarder-process.ts';
import { type ForwarderState, readForwarderState, writeForwarderState } from './forwarder-state.ts';
import { findDrift, listReleases, restoreRelease, writeRelease } from './release-files.ts';
import { COUNTERS_LOG } from './render-rsyslog.ts';
import type {
  ForwarderCounters,
  ForwarderDriver,
  ForwarderKind,
  ForwarderPlaces,
  ForwarderProblem,
  RenderedFile,
} from './types.ts';

export interface ForwarderOptions<Config> {
  /** Names the units. */
  readonly key: string;
  readonly dir: string;
  readonly kind: ForwarderKind<Config>;
  readonly runner: UnitRunner;
  readonly logger: Logger;
  /** How often the host is compared with the state; a minute by default. */
  readonly checkMs?: number | undefined;
  readonly startTimeoutMs?: number | undefined;
}

/** The part of a forwarder that commands use. */
export type ForwarderControl = Pick<Forwarder<unknown>, 'update' | 'setWanted' | 'restart' | 'masked' | 'status'>;

export type ForwarderStep = 'checking' | 'swapping' | 'starting' | 'saving' | 'rolling_back' | 'cleaning';

export interface ForwarderChange {
  readonly fence: bigint;
  readonly onStep: (step: ForwarderStep, text: string) => void;
}

export interface ForwarderStatus {
  readonly configured: boolean;
  readonly wanted: 'running' | 'stopped';
  readonly pid: number | null;
  readonly program: string | null;
  readonly revision: number;
  /** Why the program does not run although it should. */
  readonly error: string | null;
  readonly restored: { readonly count: number; readonly reason: string; readonly at: string } | null;
  readonly counters: ForwarderCounters | null;
}

const CHECK_MS = 60_000;
const START_TIMEOUT_MS = 20_000;
const CHECK_TIMEOUT_MS = 30_000;
const RETRY_MAX_MS = 60_000;
const REASON_MAX = 4_000;

/**
 * Keeps one forwarder of logs in its desired state, which is in `state.json`.
 *
 * A change writes a new release beside the current one, checks it, stops the current program and starts the new one. Only
 * when that runs, `state.json` names it; until then, a failure or a crash of the agent brings the current one back. A
 * command that was interrupted is run again, so its outcome and the host agree.
 *
 * Between changes, the forwarder compares the host with the state: changed files are restored, and a program that has ended is
 * started again.
 */
export class Forwarder<Config> {
  readonly #options: ForwarderOptions<Config>;
  readonly #queue = new SerialQueue();
  readonly #logger: Logger;
  readonly #process: ForwarderProcess;
  #state: ForwarderState<Config> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #failures = 0;
  #error: string | null = null;
  #restored: ForwarderStatus['restored'] = null;

  constructor(options: ForwarderOptions<Config>) {
    this.#options = options;
    this.#logger = options.logger.child({ component: `forwarder.${options.key}` });
    const { key, runner, startTimeoutMs = START_TIMEOUT_MS } = options;
    this.#process = new ForwarderProcess({ key, runner, startTimeoutMs, placesOf: (one) => this.#placesOf(one) });
    this.#wake(0);
  }

  /** Sets the configuration, or removes the forwarder. Resolves when the host is as requested, or as before. */
  update(
    value: unknown,
    { fence, onStep, revision }: ForwarderChange & { readonly revision: number },
  ): Promise<Result<undefined, ForwarderProblem>> {
    return this.#change(fence, async (state) => {
      if (value === null) return this.#remove(state, { fence, revision, onStep });
      const planned = await this.#options.kind.plan(value);
      if (!planned.ok) return planned;
      const config = planned.value;
      const driver = await this.#options.kind.findDriver(config);
      if (!driver) return err(missingProgram());
      // The command was interrupted after the change was complete.
      if (state.revision === revision && state.wanted === 'running' && this.#process.find(state.release))
        return ok(undefined);
      return this.#replace(state, { driver, onStep, next: { config, wanted: 'running', revision, fence } });
    });
  }

  /** Starts or stops the configured program, also across restarts of the host. */
  setWanted(
    wanted: 'running' | 'stopped',
    { fence, onStep }: ForwarderChange,
  ): Promise<Result<undefined, ForwarderProblem>> {
    return this.#change(fence, async (state) => {
      if (!state.config) return wanted === 'stopped' ? ok(undefined) : err(unconfigured());
      onStep(wanted === 'running' ? 'starting' : 'swapping', '');
      await this.#save({ ...state, wanted, fence: String(fence) });
      await this.#converge();
      return this.#error === null ? ok(undefined) : err(problem('not_started', this.#error));
    });
  }

  restart({ fence, onStep }: ForwarderChange): Promise<Result<undefined, ForwarderProblem>> {
    return this.#change(fence, async (state) => {
      if (!state.config) return err(unconfigured());
      if (!(await this.#options.kind.findDriver(state.config))) return err(missingProgram());
      if (state.wanted === 'stopped') return err(problem('stopped', 'the forwarder is stopped; start it', 'refused'));
      onStep('starting', '');
      await this.#process.stop(state.release);
      await this.#converge();
      return this.#error === null ? ok(undefined) : err(problem('not_started', this.#error));
    });
  }

  /** The configuration without its secrets. Null: nothing is configured. */
  async masked(): Promise<unknown> {
    const { config } = await this.#read();
    return config && this.#options.kind.mask(config);
  }

  async status(): Promise<ForwarderStatus> {
    const { config, wanted, revision, release } = await this.#read();
    const driver = config && (await this.#options.kind.findDriver(config));
    const process = this.#process.find(release);
    const counters = await tailLog(join(this.#logDir, COUNTERS_LOG), 1000, 64 * 1024);
    return {
      configured: config !== null,
      wanted,
      pid: process?.pid ?? null,
      program: driver?.name ?? null,
      revision,
      error: this.#error,
      restored: this.#restored,
      counters: (process && driver?.readCounters(counters.join('\n'))) ?? null,
    };
  }

  /** A unit of this forwarder has ended. */
  noticeExit(): void {
    this.#wake(Math.min(500 * 2 ** this.#failures, RETRY_MAX_MS));
  }

  async close(how: 'stop' | 'leave'): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#queue.settle();
    if (how === 'leave') return;
    await this.#process.stopOthers(undefined);
  }

  /** Runs a change after those before it, and refuses one that is older than the newest. */
  #change(
    fence: bigint,
    change: (state: ForwarderState<Config>) => Promise<Result<undefined, ForwarderProblem>>,
  ): Promise<Result<undefined, ForwarderProblem>> {
    return this.#queue.run(async () => {
      const state = await this.#read();
      if (fence < BigInt(state.fence)) {
        const message = 'a newer command for this forwarder arrived before this one';
        return err({ outcome: 'refused', code: 'command.superseded', message });
      }
      try {
        return await change(state);
      } catch (error) {
        if (!isDiskFull(error)) throw error;
        return err(problem('disk_full', `the disk is full (${toErrorMessage(error)}); nothing was changed`));
      }
    });
  }

  async #replace(
    before: ForwarderState<Config>,
    {
      driver,
      next,
      onStep,
    }: {
      readonly driver: ForwarderDriver<Config>;
      readonly next: Omit<ForwarderState<Config>, 'release' | 'fence' | 'config'> & { config: Config; fence: bigint };
      readonly onStep: ForwarderChange['onStep'];
    },
  ): Promise<Result<undefined, ForwarderProblem>> {
    const release = Math.max(before.release, ...(await listReleases(this.#releasesDir))) + 1;
    const places = this.#placesOf(release);
    const hide = (text: string) => redact(text, this.#options.kind.secretsOf(next.config));
    onStep('checking', '');
    await this.#makeFolders();
    await writeRelease(places.releaseDir, driver.render(next.config, places));
    const refused = await this.#check(driver, places);
    if (refused !== undefined) {
      await rm(places.releaseDir, { recursive: true, force: true });
      return err(problem('refused', hide(refused)));
    }
    onStep('swapping', '');
    await this.#process.stopOthers(release);
    onStep('starting', '');
    let failure = await this.#process.start(release, driver).catch((error: unknown) => toErrorMessage(error));
    if (failure === undefined) {
      onStep('saving', '');
      failure = await this.#save({ ...next, release, fence: String(next.fence) }).then(
        () => undefined,
        (error: unknown) => toErrorMessage(error),
      );
    }
    onStep(failure === undefined ? 'cleaning' : 'rolling_back', '');
    // Removes what the state does not name, and runs what it names.
    await this.#converge();
    if (failure === undefined) return ok(undefined);
    const now = this.#error === null ? 'the host is as before' : `and the previous one does not run: ${this.#error}`;
    return err(problem('not_started', hide(`the new configuration does not run (${now}): ${failure}`)));
  }

  async #remove(
    state: ForwarderState<Config>,
    { fence, revision, onStep }: ForwarderChange & { readonly revision: number },
  ): Promise<Result<undefined, ForwarderProblem>> {
    onStep('saving', '');
    await this.#makeFolders();
    await this.#save({ ...state, config: null, wanted: 'stopped', revision, fence: String(fence) });
    onStep('cleaning', '');
    await this.#converge();
    // Undelivered lines go, too.
    await rm(this.#workDir, { recursive: true, force: true });
    return ok(undefined);
  }

  /** Returns why the program refuses the release. */
  async #check(driver: ForwarderDriver<Config>, places: ForwarderPlaces): Promise<string | undefined> {
    const checked = await runCheck({
      command: driver.checkCommand(places),
      identity: undefined,
      workDir: places.workDir,
      env: { LANG: 'C.UTF-8' },
      timeoutMs: CHECK_TIMEOUT_MS,
      signal: new AbortController().signal,
    });
    if (checked.ok) return undefined;
    switch (checked.error.type) {
      case 'aborted':
        return 'the check was interrupted';
      case 'killed':
        return checked.error.message;
      case 'failed':
        return checked.error.stderr || checked.error.message;
    }
  }

  /** Brings the host to the state. `#error` says what is still wrong. */
  async #converge(): Promise<void> {
    const state = await this.#read();
    const driver = state.config && (await this.#options.kind.findDriver(state.config));
    const process = this.#process;
    this.#error = null;
    if (state.config && !driver) {
      if (state.wanted === 'running') this.#error = missingProgram().message;
      return;
    }
    const isWanted = state.config !== null && state.wanted === 'running';
    await process.stopOthers(isWanted ? state.release : undefined);
    for (const release of await listReleases(this.#releasesDir)) {
      if (state.config !== null && release === state.release) continue;
      // Its unit may be between two attempts of systemd, so that it is not in the list of units.
      await process.stop(release);
      await rm(this.#placesOf(release).releaseDir, { recursive: true, force: true });
    }
    if (!state.config || !driver) return;
    await this.#restoreFiles(state.release, driver.render(state.config, this.#placesOf(state.release)));
    if (!isWanted || process.find(state.release)) {
      this.#failures = 0;
      return;
    }
    await this.#makeFolders();
    const failure = await process.start(state.release, driver).catch((error: unknown) => toErrorMessage(error));
    this.#error = failure === undefined ? null : redact(failure, this.#options.kind.secretsOf(state.config));
    this.#failures = failure === undefined ? 0 : this.#failures + 1;
    if (failure !== undefined) this.#logger.error({ reason: this.#error }, 'forwarder.not_started');
  }

  async #restoreFiles(release: number, files: readonly RenderedFile[]): Promise<void> {
    const places = this.#placesOf(release);
    const reason = await findDrift(places.releaseDir, files);
    if (reason === undefined) return;
    await restoreRelease(places.releaseDir, files);
    await this.#process.stop(release);
    this.#restored = { count: (this.#restored?.count ?? 0) + 1, reason, at: new Date().toISOString() };
    this.#logger.warn({ reason }, 'forwarder.restored');
  }

  /** Looks at the host after `ms`, and then on a schedule. */
  #wake(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#queue
        .run(() => this.#converge())
        .catch((error: unknown) => {
          this.#error = toErrorMessage(error);
          this.#logger.error({ err: error }, 'forwarder.not_checked');
        })
        .finally(() => {
          // The program may have ended meanwhile, which calls for an earlier look.
          if (this.#timer === undefined) this.#wake(this.#options.checkMs ?? CHECK_MS);
        });
    }, ms);
    this.#timer.unref();
  }

  async #read(): Promise<ForwarderState<Config>> {
    if (this.#state) return this.#state;
    const { key, runner } = this.#options;
    // Adopts the program that an earlier agent has started.
    await runner.list(key, undefined);
    this.#state ??= await readForwarderState<Config>(this.#stateFile, this.#logger);
    return this.#state;
  }

  async #save(state: ForwarderState<Config>): Promise<void> {
    await writeForwarderState(this.#stateFile, state);
    this.#state = state;
  }

  async #makeFolders(): Promise<void> {
    for (const dir of [this.#options.dir, this.#workDir, this.#logDir, this.#releasesDir]) await makeFolder(dir, 0o700);
  }

  #placesOf(release: number): ForwarderPlaces {
    return { releaseDir: join(this.#releasesDir, String(release)), workDir: this.#workDir, logDir: this.#logDir };
  }

  get #stateFile(): string {
    return join(this.#options.dir, 'state.json');
  }

  get #releasesDir(): string {
    return join(this.#options.dir, 'releases');
  }

  get #workDir(): string {
    return join(this.#options.dir, 'work');
  }

  get #logDir(): string {
    return join(this.#options.dir, 'logs');
  }
}

function problem(code: string, message: string, outcome: ForwarderProblem['outcome'] = 'failed'): ForwarderProblem {
  return { outcome, code: `forwarder.${code}`, message: message.slice(0, REASON_MAX) };
}

function unconfigured(): ForwarderProblem {
  return problem('unconfigured', 'nothing is configured here; set a configuration first', 'refused');
}

function missingProgram(): ForwarderProblem {
  return { outcome: 'refused', code: 'client.incapable', message: 'the program of the forwarder is not installed' };
}

function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, '[redacted]'), text);
}
