import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { Backoff, type ProcessRef } from '@flotilla/kit';
import type { fleet, ServiceLayout } from '@flotilla/proto';
import { digestOf } from '../envoy/instance.ts';
import type { ServiceIdentity } from '../identity.ts';
import { stageCommand } from '../program-stage.ts';
import { Revival } from '../revival.ts';
import type { StateFile } from '../state-file.ts';
import type { UnitRunner } from '../units/types.ts';
import { shieldArguments, shieldEnvironment } from './shield-command.ts';

const STOP_GRACE_MS = 5_000;
const RETRY = { initialMs: 100, maxMs: 10_000, jitter: 0.2 };

export interface ShieldProcessOptions {
  readonly serviceId: string;
  readonly layout: ServiceLayout;
  readonly dataDir: string;
  readonly identity: ServiceIdentity | undefined;
  readonly state: StateFile;
  readonly runner: UnitRunner;
  readonly flotillaCommand: readonly string[];
  /** Awaited before a filter that runs is ended. Must not reject. */
  readonly onEnding: () => Promise<void>;
  readonly onEnded: () => void;
  /** One that ended by itself is about to be started again. */
  readonly onRevival: () => void;
}

/**
 * The process of one service's filter, and its record.
 *
 * *Absent* until `ensure` starts it. *Unproven* from then on, *live* once `noteLive` was called (one that an earlier agent started is
 * taken for live). One that ends by itself is started again by `ensure`: soon where it was live, after growing waits where it was
 * not. One that runs with other arguments, or was marked by `restartNext`, is ended and started anew. Calls must not overlap.
 */
export class ShieldProcess {
  readonly #options: ShieldProcessOptions;
  /** For one that ended before it was live. */
  readonly #backoff = new Backoff(RETRY);
  readonly #revival = new Revival();
  #retryAt = 0;
  #mustRestart = false;
  #wasLive = true;

  constructor(options: ShieldProcessOptions) {
    this.#options = options;
  }

  /** The process that runs. */
  get running(): ProcessRef | undefined {
    const { state, runner, layout } = this.#options;
    const unit = state.value.shield?.unit;
    return unit === undefined ? undefined : runner.find({ serviceKey: layout.key, name: unit });
  }

  /** Ends filters of an earlier agent that no record explains. */
  async adopt(): Promise<void> {
    const { runner, layout, state } = this.#options;
    for (const name of (await runner.list(layout.key)).keys()) {
      const isStray = name.startsWith('shield-') && name !== state.value.shield?.unit;
      if (isStray) await runner.stop({ serviceKey: layout.key, name }, STOP_GRACE_MS);
    }
  }

  /** The next `ensure` starts it anew. */
  restartNext(): void {
    this.#mustRestart = true;
  }

  noteLive(): void {
    this.#wasLive = true;
    this.#backoff.reset();
  }

  /** Starts the filter unless it runs with these arguments. Resolves with milliseconds when it is too early to. */
  async ensure(shield: fleet.ShieldSpec): Promise<number | undefined> {
    const { state, layout, identity, flotillaCommand } = this.#options;
    const args = shieldArguments(shield, layout, state.value.nodeId);
    const argsDigest = digestOf(JSON.stringify([flotillaCommand, args, identity?.uid]));
    const known = state.value.shield;
    const isRunning = this.running !== undefined;
    if (known && isRunning && known.argsDigest === argsDigest && !this.#mustRestart) return undefined;
    if (known && !isRunning && !this.#mustRestart) {
      const now = performance.now();
      if (this.#retryAt === 0) this.#retryAt = now + this.#nextStart();
      if (now < this.#retryAt) return this.#retryAt - now;
      this.#options.onRevival();
    }
    if (known) await this.stop();
    this.#retryAt = 0;
    this.#mustRestart = false;
    await this.#start(args, argsDigest);
    return undefined;
  }

  async stop(): Promise<void> {
    const { runner, layout, state, onEnding, onEnded } = this.#options;
    const unit = state.value.shield?.unit;
    if (this.running) await onEnding();
    if (unit !== undefined) await runner.stop({ serviceKey: layout.key, name: unit }, STOP_GRACE_MS);
    await state.update({ shield: undefined, policyDigest: '' });
    await removeSockets(layout);
    onEnded();
  }

  /** The program and what leads its arguments, where the service's user can reach it. */
  async program(): Promise<readonly string[]> {
    const { flotillaCommand, identity, dataDir } = this.#options;
    return identity ? stageCommand(flotillaCommand, dataDir) : flotillaCommand;
  }

  async #start(args: readonly string[], argsDigest: string): Promise<void> {
    const { runner, state, layout, identity, serviceId } = this.#options;
    const unit = `shield-${await state.takeNumber()}`;
    await state.update({ shield: { unit, argsDigest } });
    this.#revival.noteStart();
    this.#wasLive = false;
    await runner.start({
      serviceId,
      serviceKey: layout.key,
      name: unit,
      kind: 'shield',
      command: [...(await this.program()), 'shield', ...args],
      env: shieldEnvironment(layout),
      identity,
      workDir: layout.filesDir,
      logFile: `${layout.logDir}/shield.log`,
      writableDirs: [layout.runtimeDir],
    });
  }

  #nextStart(): number {
    return this.#wasLive ? this.#revival.next() : this.#backoff.next() - RETRY.initialMs;
  }
}

/** A filter that was killed leaves its sockets; one that had more threads, more of them than its successor makes anew. */
async function removeSockets({ runtimeDir, shieldSocket, shieldAdminSocket }: ServiceLayout): Promise<void> {
  await rm(shieldAdminSocket, { force: true });
  const first = basename(shieldSocket);
  const names = await readdir(runtimeDir).catch(() => []);
  for (const name of names) {
    if (name === first || name.startsWith(`${first}.`)) await rm(join(runtimeDir, name), { force: true });
  }
}
