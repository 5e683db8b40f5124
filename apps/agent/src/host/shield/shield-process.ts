import { basename } from 'node:path';
import { Backoff, type ProcessRef } from '@flotilla/kit';
import type { fleet, ServiceLayout } from '@flotilla/proto';
import { digestOf } from '../envoy/instance.ts';
import type { ServiceIdentity } from '../identity.ts';
import { withFolder } from '../open-folder.ts';
import { stageCommand } from '../program-stage.ts';
import { Revival } from '../revival.ts';
import { poll } from '../serial-loop.ts';
import type { FilterUnit, StateFile } from '../state-file.ts';
import type { UnitRunner } from '../units/types.ts';
import { pairArguments, shieldArguments, shieldEnvironment } from './shield-command.ts';
import { StandbySlot } from './standby-slot.ts';

/** Grace period of a stopping filter. It waits until its successor serves, and then up to five seconds for its open requests. */
const STOP_GRACE_MS = 10_000;
/** Time in which a successor must be on standby and load a new policy. */
const READY_TIMEOUT_MS = 15_000;
const RETRY = { initialMs: 100, maxMs: 10_000, jitter: 0.2 };

export interface ShieldProcessOptions {
  readonly serviceId: string;
  readonly layout: ServiceLayout;
  readonly dataDir: string;
  readonly identity: ServiceIdentity | undefined;
  readonly state: StateFile;
  readonly runner: UnitRunner;
  readonly flotillaCommand: readonly string[];
  /** Keeps a second filter on standby. */
  readonly isWarm: boolean;
  /**
   * Reads the policy digest of the filter with this admin socket. Returns undefined before the filter serves or is on standby.
   * Must not reject.
   */
  readonly readPolicy: (adminSocket: string) => Promise<string | undefined>;
  /** Reads the name of the serving unit from the filter at the service's address. Must not reject. */
  readonly readServing: () => Promise<string | undefined>;
  /** Completes before a serving filter is ended. Must not reject. */
  readonly onEnding: () => Promise<void>;
  readonly onEnded: () => void;
  /** Called when the serving filter has ended by itself. Another filter has taken over or is about to be started. */
  readonly onRevival: () => void;
}

/**
 * The processes of one service's filter and their records: a serving filter and a standby filter. The filters decide which one
 * serves. A killed filter that systemd restarts becomes the standby of the other one.
 *
 * *Absent*: until `ensure` starts a filter. *Unproven*: after the start. *Live*: after `noteLive`; a filter of an earlier agent
 * counts as live.
 *
 * If the serving filter ends on its own, the standby takes over, and `ensure` records this. Without a standby, the filter is
 * started again: soon if it was live, otherwise after growing delays. A filter with other arguments, or after `restartNext`, ends
 * when its successor is on standby, so no request fails. Calls must not overlap.
 */
export class ShieldProcess {
  readonly #options: ShieldProcessOptions;
  /** Delays the restart of a filter that ended before it was live. */
  readonly #backoff = new Backoff(RETRY);
  readonly #revival = new Revival();
  readonly #standby = new StandbySlot();
  #retryAt = 0;
  #mustRestart = false;
  #wasLive = true;

  constructor(options: ShieldProcessOptions) {
    this.#options = options;
  }

  /** The process that serves or is about to take over. */
  get running(): ProcessRef | undefined {
    const { shield, shieldStandby } = this.#options.state.value;
    return this.#find(shield) ?? this.#find(shieldStandby);
  }

  /** Ends filters of an earlier agent that have no record. */
  async adopt(): Promise<void> {
    const { runner, layout, state, identity } = this.#options;
    const known = [state.value.shield?.unit, state.value.shieldStandby?.unit];
    for (const name of (await runner.list(layout.key, identity)).keys()) {
      const isStray = name.startsWith('shield-') && !known.includes(name);
      if (isStray) await runner.stop({ serviceKey: layout.key, name }, STOP_GRACE_MS);
    }
  }

  /** Makes the next `ensure` replace the filter. */
  restartNext(): void {
    this.#mustRestart = true;
  }

  noteLive(): void {
    this.#wasLive = true;
    this.#backoff.reset();
  }

  /**
   * Starts or replaces the filter unless it already serves with these arguments. Resolves with the delay in milliseconds if it
   * is too early.
   */
  async ensure(shield: fleet.ShieldSpec): Promise<number | undefined> {
    await this.#noteRoles();
    const known = this.#options.state.value.shield;
    const isRunning = this.#find(known) !== undefined;
    const isWanted = known?.argsDigest === this.#describe(shield).argsDigest && !this.#mustRestart;
    if (isRunning && isWanted) return undefined;
    if (isRunning && known?.isPaired) {
      await this.#replace(shield);
      return undefined;
    }
    if (known && !isRunning && !this.#mustRestart) {
      const now = performance.now();
      if (this.#retryAt === 0) this.#retryAt = now + this.#nextStart();
      if (now < this.#retryAt) return this.#retryAt - now;
      this.#options.onRevival();
    }
    if (known) await this.stop();
    this.#retryAt = 0;
    this.#mustRestart = false;
    this.#revival.noteStart();
    this.#wasLive = false;
    await this.#start(shield, (unit) => ({ shield: unit }));
    return undefined;
  }

  /**
   * Starts a standby filter if one is configured. Resolves with the delay in milliseconds if it is too early, or if the started
   * filter is not on standby yet.
   */
  async ensureStandby(shield: fleet.ShieldSpec): Promise<number | undefined> {
    const { state, isWarm, readPolicy } = this.#options;
    const known = state.value.shieldStandby;
    if (!isWarm) {
      await this.#stopStandby();
      return undefined;
    }
    const isRunning = this.#find(known) !== undefined;
    if (known && isRunning && known.argsDigest === this.#describe(shield).argsDigest) {
      return this.#standby.check(() => readPolicy(this.#adminOf(known)));
    }
    const wait = this.#standby.nextStart({ hasEnded: known !== undefined && !isRunning });
    if (wait > 0) return wait;
    await this.#stopStandby();
    this.#standby.noteStart();
    await this.#start(shield, (unit) => ({ shieldStandby: unit }));
    return this.#standby.check(async () => undefined);
  }

  /**
   * Waits until the standby filter runs policy `digest` too, because it must not serve with an older policy. Ends a
   * filter that does not load it.
   */
  async alignStandby(digest: string, signal: AbortSignal): Promise<void> {
    const known = this.#options.state.value.shieldStandby;
    if (known === undefined || !this.#standby.isLive) return;
    const isAligned = await poll(
      async () => {
        if (this.#find(known) === undefined) return true;
        const policy = await this.#options.readPolicy(this.#adminOf(known));
        return policy === digest || (policy === undefined && (await this.#serves(known))) || undefined;
      },
      { ms: READY_TIMEOUT_MS, everyMs: 50, signal },
    );
    if (isAligned === undefined && !signal.aborted) await this.#stopStandby();
  }

  async stop(): Promise<void> {
    const { layout, state, onEnding, onEnded } = this.#options;
    await this.#noteRoles();
    // The standby filter is stopped first, because it would take over from the other one.
    await this.#stopStandby();
    const known = state.value.shield;
    if (this.#find(known)) await onEnding();
    await this.#stopUnit(known);
    await state.update({ shield: undefined, policyDigest: '' });
    await removeSockets(layout);
    onEnded();
  }

  /** Returns the program and its leading arguments, at a path that the service's user can access. */
  async program(): Promise<readonly string[]> {
    const { flotillaCommand, identity, dataDir } = this.#options;
    return identity ? stageCommand(flotillaCommand, dataDir) : flotillaCommand;
  }

  /**
   * Records that the standby filter has taken over after the other one has ended, even if systemd has restarted the other one.
   */
  async #noteRoles(): Promise<void> {
    const { state, onRevival } = this.#options;
    const { shield, shieldStandby } = state.value;
    if (this.#find(shieldStandby) === undefined) return;
    if (this.#find(shield) === undefined) {
      await this.#stopUnit(shield);
      await state.update({ shield: shieldStandby, shieldStandby: undefined });
      this.#standby.noteTaken();
    } else if (await this.#serves(shieldStandby)) {
      await state.update({ shield: shieldStandby, shieldStandby: shield });
      this.#standby.noteStart();
    } else {
      return;
    }
    this.noteLive();
    if (shield !== undefined) onRevival();
  }

  async #serves(known: FilterUnit | undefined): Promise<boolean> {
    return known !== undefined && (await this.#options.readServing()) === known.unit;
  }

  /** Starts a standby filter with the new arguments, and then stops the serving filter. */
  async #replace(shield: fleet.ShieldSpec): Promise<void> {
    const { state, onEnding, readPolicy } = this.#options;
    await this.#stopStandby();
    await this.#start(shield, (unit) => ({ shieldStandby: unit }));
    const next = state.value.shieldStandby;
    const isReady = await poll(
      async () => {
        if (next === undefined || this.#find(next) === undefined) return false;
        // The new filter serves already if the old one has ended by itself.
        return (await readPolicy(this.#adminOf(next))) !== undefined || (await this.#serves(next)) || undefined;
      },
      { ms: READY_TIMEOUT_MS, everyMs: 20, signal: new AbortController().signal },
    );
    if (!isReady) {
      await this.#stopStandby();
      throw new Error('the filter that is to replace the running one does not start; the running one continues');
    }
    await onEnding();
    await this.#stopUnit(state.value.shield);
    await state.update({ shield: next, shieldStandby: undefined });
    this.#mustRestart = false;
    this.#revival.noteStart();
  }

  async #start(shield: fleet.ShieldSpec, record: (unit: FilterUnit) => object): Promise<void> {
    const { runner, state, layout, identity, serviceId } = this.#options;
    const unit = `shield-${await state.takeNumber()}`;
    const { args, argsDigest } = this.#describe(shield);
    await state.update(record({ unit, argsDigest, isPaired: true }));
    await runner.start({
      serviceId,
      serviceKey: layout.key,
      name: unit,
      kind: 'shield',
      command: [...(await this.program()), 'shield', ...args, ...pairArguments(unit)],
      env: shieldEnvironment(layout),
      identity,
      workDir: layout.filesDir,
      logFile: `${layout.logDir}/shield.log`,
      writableDirs: [layout.socketDir],
    });
  }

  #describe(shield: fleet.ShieldSpec): { args: readonly string[]; argsDigest: string } {
    const { flotillaCommand, identity, layout, state } = this.#options;
    const args = shieldArguments(shield, layout, state.value.nodeId);
    return { args, argsDigest: digestOf(JSON.stringify([flotillaCommand, args, identity?.uid, 'pair'])) };
  }

  #find(known: FilterUnit | undefined): ProcessRef | undefined {
    const { runner, layout } = this.#options;
    return known && runner.find({ serviceKey: layout.key, name: known.unit });
  }

  /** Returns the admin socket of a standby filter. A serving filter is queried at the service's address instead. */
  #adminOf({ unit }: FilterUnit): string {
    return `${this.#options.layout.socketDir}/${unit}.admin`;
  }

  async #stopStandby(): Promise<void> {
    const { state } = this.#options;
    const known = state.value.shieldStandby;
    if (known === undefined) return;
    await this.#stopUnit(known);
    await state.update({ shieldStandby: undefined });
  }

  async #stopUnit(known: FilterUnit | undefined): Promise<void> {
    if (known === undefined) return;
    const { runner, layout } = this.#options;
    await runner.stop({ serviceKey: layout.key, name: known.unit }, STOP_GRACE_MS);
    await removeSocketsOf(layout, known.unit);
  }

  #nextStart(): number {
    return this.#wasLive ? this.#revival.next() : this.#backoff.next() - RETRY.initialMs;
  }
}

/** Removes the sockets of a killed filter. It may have had more threads, and so more sockets, than its successor. */
async function removeSockets({ socketDir, shieldSocket, shieldAdminSocket }: ServiceLayout): Promise<void> {
  const first = basename(shieldSocket);
  await withFolder(socketDir, async (folder) => {
    await folder.remove(basename(shieldAdminSocket));
    for (const name of await folder.names()) {
      if (name === first || name.startsWith(`${first}.`)) await folder.remove(name);
    }
  });
}

/** Removes the sockets of a filter that was killed while it was on standby. */
async function removeSocketsOf({ socketDir }: ServiceLayout, unit: string): Promise<void> {
  await withFolder(socketDir, async (folder) => {
    for (const name of await folder.names()) {
      if (name === unit || name.startsWith(`${unit}.`)) await folder.remove(name);
    }
  });
}
