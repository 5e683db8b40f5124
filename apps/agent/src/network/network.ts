import { spawn } from 'node:child_process';
import { err, type Logger, makeFolder, ok, type Result, SerialQueue, sleep, toErrorMessage } from '@flotilla/kit';
import { NETWORK_LIMITS } from '@flotilla/proto/commands';
import { isDiskFull } from '../disk-full.ts';
import { ChangeFolder, type ChangeRecord, type Phase, pruneChanges } from './change-folder.ts';
import { finishChange, isFinal } from './guard.ts';
import type { NetworkSettings, Problem } from './types.ts';

export interface NetworkOptions {
  readonly settings: NetworkSettings;
  /** Starts the guard of a change, with the data folder and the id as further arguments. */
  readonly guardCommand: readonly string[];
  /** Environment of the guard. */
  readonly env: NodeJS.ProcessEnv;
  /**
   * Opens a new connection to the controller and resolves when the controller has answered on it. Rejects when `signal` aborts.
   */
  readonly reachController: (signal: AbortSignal) => Promise<void>;
  readonly logger: Logger;
}

/** How a change has ended. */
export type ChangeEnd =
  | { readonly is: 'committed'; readonly summary: ChangeRecord['summary'] }
  | { readonly is: 'reverted'; readonly problem: Problem; readonly summary: ChangeRecord['summary'] }
  /** The agent died before anything happened. */
  | { readonly is: 'absent' };

/** The runner of a command, which follows the change. */
export interface ChangeWatch {
  readonly signal: AbortSignal;
  readonly onStep: (step: string, text: string) => void;
}

const POLL_MS = 50;
/** Longer than any change takes: the test, and netplan applying and taking back. */
const GUARD_MAX_MS = NETWORK_LIMITS.testMaxS * 1000 + 240_000;

/**
 * Changes the network of the host. A change is prepared on disk, and then run by a guard, a process of its own, which takes it back
 * unless this agent confirms it in time. See ChangeFolder for the phases.
 */
export class Network {
  readonly settings: NetworkSettings;
  readonly #options: NetworkOptions;
  readonly #queue = new SerialQueue();

  constructor(options: NetworkOptions) {
    this.#options = options;
    this.settings = options.settings;
  }

  /** Runs work that reads or changes the configuration, one at a time. */
  exclusive<T>(work: () => Promise<T>): Promise<T> {
    return this.#queue.run(work);
  }

  /** Finishes what an earlier agent and its guard have left, if the guard is dead. */
  async recover(): Promise<void> {
    const { settings, logger } = this.#options;
    for (const folder of await ChangeFolder.list(settings.dataDir)) {
      const phase = await folder.phase();
      if (phase === undefined) await folder.remove();
      else if (!isFinal(phase) && (await finishChange(folder)))
        logger.warn({ change: folder.id, phase, now: await folder.phase() }, 'network.recovered');
    }
  }

  /** Runs a change and waits for its end. An error means that nothing has been tried. */
  async run(record: ChangeRecord, { signal, onStep }: ChangeWatch): Promise<Result<ChangeEnd, Problem>> {
    const { settings, logger } = this.#options;
    const folder = new ChangeFolder(settings.dataDir, record.id);
    try {
      await makeFolder(settings.dataDir, 0o700);
      await pruneChanges(settings.dataDir);
      const busy = await this.#findUnfinished();
      if (busy !== undefined) return err({ code: 'network.busy', message: `the change ${busy} is still being tested` });
      await folder.prepare(record);
    } catch (error) {
      return err(describeDisk(error));
    }
    onStep('prepared', '');
    const guard = this.#startGuard(record.id);
    onStep('started', '');
    logger.info({ change: record.id, pid: guard.pid }, 'network.change_started');
    return ok(
      await this.#attend(folder, { signal, onStep }, () => guard.exitCode === null && guard.signalCode === null),
    );
  }

  /** Attends to the change of an earlier agent until its end. */
  async resume(id: string, watch: ChangeWatch): Promise<ChangeEnd> {
    const folder = new ChangeFolder(this.settings.dataDir, id);
    return this.#attend(folder, watch, () => false);
  }

  async #attend(folder: ChangeFolder, { signal, onStep }: ChangeWatch, isStarting: () => boolean): Promise<ChangeEnd> {
    const deadline = performance.now() + GUARD_MAX_MS;
    const ended = new AbortController();
    let proof: Promise<void> | undefined;
    let seen: Phase | undefined;
    try {
      for (;;) {
        signal.throwIfAborted();
        const phase = await folder.phase();
        if (phase === undefined) return { is: 'absent' };
        if (phase !== seen && phase !== 'prepared' && phase !== 'confirmed') onStep(phase, '');
        seen = phase;
        if (isFinal(phase)) return await describeEnd(folder, phase);
        if (phase === 'applied')
          proof ??= this.#confirm(folder, { signal: AbortSignal.any([signal, ended.signal]), onStep });
        if (!isStarting()) await finishChange(folder);
        if (performance.now() > deadline) throw new Error(`the change ${folder.id} has no end`);
        await sleep(POLL_MS, signal);
      }
    } finally {
      ended.abort();
      await proof;
    }
  }

  /** Confirms the change as soon as the controller has answered on a new connection. */
  async #confirm(folder: ChangeFolder, { signal, onStep }: ChangeWatch): Promise<void> {
    const { reachController, logger } = this.#options;
    try {
      const { needsProof } = (await folder.read()).summary;
      if (needsProof !== false) await reachController(signal);
      if (await folder.advance('applied', 'confirmed')) onStep('confirmed', '');
    } catch (error) {
      if (!signal.aborted) logger.warn({ err: error, change: folder.id }, 'network.not_confirmed');
    }
  }

  #startGuard(id: string) {
    const [program = '', ...args] = this.#options.guardCommand;
    const env = { ...this.#options.env, FLOTILLA_NETWORK_GUARD: id };
    const guard = spawn(program, [...args, this.settings.dataDir, id], { detached: true, stdio: 'ignore', env });
    guard.once('error', (error) => this.#options.logger.error({ err: error, change: id }, 'network.guard_failed'));
    guard.unref();
    return guard;
  }

  async #findUnfinished(): Promise<string | undefined> {
    await this.recover();
    for (const folder of await ChangeFolder.list(this.settings.dataDir)) {
      if (!isFinal(await folder.phase())) return folder.id;
    }
    return undefined;
  }
}

export function describeDisk(error: unknown): Problem {
  if (!isDiskFull(error))
    return { code: 'network.disk', message: `the change cannot be stored: ${toErrorMessage(error)}` };
  return {
    code: 'network.disk_full',
    message: 'the disk is full, so the change cannot be stored; nothing was changed',
  };
}

async function describeEnd(folder: ChangeFolder, phase: Phase | undefined): Promise<ChangeEnd> {
  const { summary } = await folder.read();
  if (phase === 'committed') return { is: 'committed', summary };
  const unknown = { code: 'network.reverted', message: 'the change was taken back' };
  return { is: 'reverted', problem: (await folder.problem()) ?? unknown, summary };
}
