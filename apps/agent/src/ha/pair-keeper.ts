import type { Alarm, HaConfig, MemberReport } from '@flotilla/ha';
import { Backoff, type Logger, toErrorMessage } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import { SerialLoop } from '../host/serial-loop.ts';
import type { UnitEvent, UnitRunner } from '../host/units/types.ts';
import type { Link } from '../network/types.ts';
import { DaemonUnit } from './daemon-unit.ts';
import { compareConfigs, PairFile } from './pair-file.ts';
import type { HaPlaces } from './places.ts';
import { toConfig } from './to-config.ts';

export type KeeperStep =
  | 'writing'
  | 'written'
  | 'starting'
  | 'started'
  | 'removing'
  | 'removed'
  | 'stopping'
  | 'stopped';

export interface PairKeeperOptions {
  readonly places: HaPlaces;
  readonly runner: UnitRunner;
  readonly flotillaCommand: readonly string[];
  readonly logger: Logger;
  /** The version that a daemon of this program reports. Undefined: an older one is not replaced. */
  readonly version: string | undefined;
  /** The interfaces of this host. Rejects if they cannot be read. */
  readonly readLinks: () => Promise<readonly Link[]>;
  /** The answer that the daemon has just given. Undefined: it does not answer. */
  readonly freshAnswer: () => MemberReport | undefined;
  /** The file or the process has changed. */
  readonly onChange: () => void;
  /** Only tests set this. */
  readonly onStep?: ((step: KeeperStep) => void) | undefined;
}

type Wanted = Pick<fleet.DesiredState, 'ha' | 'services'>;

/** How often the host is compared with what it should be. */
const CHECK_MS = 10_000;
const FAILED_MS = 2_000;
/** A daemon without a pair gives its addresses up by itself. It ends after it has said so for a while, or after a longer one. */
const UNPAIRED_MS = { confirmed: 5_000, max: 30_000 } as const;
const UNPAIRED_CHECK_MS = 500;
/** Members with these roles have no addresses. */
const IDLE_ROLES: ReadonlySet<MemberReport['role']> = new Set(['maintenance', 'fenced', 'unpaired']);

/**
 * Keeps the file of the pair and the process of the daemon as the desired state says.
 *
 * *Unknown*: no desired state is known, received or stored. The file stays as it is, and a daemon runs if there is a file.
 * *Paired*: the file has the newest configuration that could be derived, and the daemon runs.
 * *Unpaired*: there is no file. A daemon that still runs gives its addresses up, and then ends.
 *
 * The file alone decides whether the daemon should run, so that an agent that was killed anywhere continues from there.
 */
export class PairKeeper {
  readonly #options: PairKeeperOptions;
  readonly #file: PairFile;
  readonly #unit: DaemonUnit;
  readonly #logger: Logger;
  readonly #loop = new SerialLoop(() => this.#guardedPass());
  readonly #backoff = new Backoff({ initialMs: 500, maxMs: 15_000, jitter: 0.2 });
  readonly #alarms = new Map<string, Alarm>();
  /** Versions of daemons that were replaced once. A program that reports another version than its agent is not replaced again. */
  readonly #replaced = new Set<string>();
  #wanted: Wanted | undefined;
  #config: HaConfig | 'unreadable' | undefined;
  #isOpen = false;
  #unpairedSince = 0;
  #confirmedSince: number | undefined;
  #startedAt = 0;
  #retryAt: number | undefined;

  constructor(options: PairKeeperOptions) {
    this.#options = options;
    this.#logger = options.logger;
    this.#file = new PairFile(options.places.configFile, options.logger);
    this.#unit = new DaemonUnit(options);
    this.#loop.wake();
  }

  /** The desired state is on disk. */
  want(wanted: Wanted): void {
    this.#wanted = wanted;
    this.#loop.wake();
  }

  /** Undefined: this host is in no pair, or its file is unreadable. */
  get config(): HaConfig | undefined {
    return this.#config === 'unreadable' ? undefined : this.#config;
  }

  /** The services that this host should run, as far as known. */
  get services(): readonly fleet.DesiredService[] {
    return this.#wanted?.services ?? [];
  }

  get pair(): fleet.HaPair | undefined {
    return this.#wanted?.ha;
  }

  /** There is something to watch: a pair, or a daemon that still runs. */
  get isBusy(): boolean {
    return this.#config !== undefined || this.#unit.isRunning;
  }

  /** Milliseconds since this agent has started the daemon. */
  get startedMsAgo(): number {
    return performance.now() - this.#startedAt;
  }

  /** The configuration that should be there cannot be. */
  get isRefused(): boolean {
    return this.#alarms.has('config_refused');
  }

  get alarms(): readonly Alarm[] {
    return [...this.#alarms.values()];
  }

  noticeEvent(event: UnitEvent): void {
    if (this.#unit.isOwn(event)) this.#loop.wake();
  }

  /** The daemon may be replaced, or end, because of what it has said. */
  noticeAnswer(): void {
    if (this.#canReplace() || (this.#isOpen && this.#config === undefined)) this.#loop.wake();
  }

  async close(how: 'stop' | 'leave'): Promise<void> {
    await this.#loop.close();
    if (how === 'leave') return;
    // The first pass may not have run.
    await this.#unit.adopt();
    await this.#unit.stop();
  }

  async #guardedPass(): Promise<number | undefined> {
    try {
      return await this.#pass();
    } catch (error) {
      this.#logger.error({ event: 'ha.converge_failed', err: error }, 'cannot bring the pair to its desired state');
      this.#raise('ha_failed', 'error', toErrorMessage(error));
      return FAILED_MS;
    }
  }

  async #pass(): Promise<number | undefined> {
    if (!this.#isOpen) await this.#open();
    if (this.#wanted?.ha) await this.#write(this.#wanted.ha);
    else if (this.#wanted && this.#config !== undefined) await this.#remove();
    const again = this.#config === undefined ? await this.#retire() : await this.#run();
    this.#alarms.delete('ha_failed');
    return again;
  }

  async #open(): Promise<void> {
    this.#config = await this.#file.read();
    if (this.#config !== undefined) await this.#file.open();
    await this.#unit.adopt();
    // A unit between two attempts of systemd is not running.
    if (this.#config === undefined && !this.#unit.isRunning) await this.#unit.stop();
    this.#unpairedSince = performance.now();
    this.#isOpen = true;
    this.#options.onChange();
  }

  async #write(pair: fleet.HaPair): Promise<void> {
    const { readLinks, runner } = this.#options;
    const links = await readLinks();
    const derived = toConfig({ pair, services: this.services, links, current: this.config, runner: runner.kind });
    if (!derived.ok) return this.#raise('config_refused', 'error', `The configuration is invalid: ${derived.error}`);
    this.#alarms.delete('config_refused');
    const { config, homeless } = derived.value;
    if (homeless.length > 0) this.#raise('no_interface', 'error', `No interface is there for ${homeless.join(', ')}.`);
    else this.#alarms.delete('no_interface');
    const comparison = compareConfigs(this.#config, config);
    if (comparison === 'older') {
      const words = `Revision ${config.config_rev} of the pair is older than the one in use (${this.config?.config_rev}).`;
      return this.#raise('config_older', 'warn', words);
    }
    this.#alarms.delete('config_older');
    if (comparison === 'same') return;
    this.#step('writing');
    await this.#file.open();
    await this.#file.write(config);
    this.#config = config;
    this.#step('written');
    this.#options.onChange();
    this.#logger.info({ pair: config.pair_id, config_rev: config.config_rev }, 'ha.config_written');
  }

  async #remove(): Promise<void> {
    this.#step('removing');
    await this.#file.remove();
    this.#config = undefined;
    this.#unpairedSince = performance.now();
    this.#confirmedSince = undefined;
    this.#alarms.clear();
    this.#step('removed');
    this.#options.onChange();
    this.#logger.info('ha.config_removed');
  }

  /** Starts the daemon unless it runs, and replaces an older one if that cannot move an address. */
  async #run(): Promise<number> {
    this.#confirmedSince = undefined;
    if (this.#canReplace()) await this.#replace();
    if (this.#unit.isRunning) {
      this.#retryAt = undefined;
      this.#alarms.delete('daemon_absent');
      return CHECK_MS;
    }
    const waitMs = this.#chooseWait();
    if (waitMs > 0) {
      this.#raise('daemon_absent', 'error', `The daemon has ended. ${await this.#unit.lastWords()}`.trim());
      return waitMs;
    }
    this.#step('starting');
    this.#startedAt = performance.now();
    this.#retryAt = undefined;
    await this.#unit.start();
    this.#step('started');
    this.#options.onChange();
    return FAILED_MS;
  }

  /** A daemon that has run for a while is started again at once, and one that ends again and again after growing delays. */
  #chooseWait(): number {
    const now = performance.now();
    if (this.startedMsAgo > CHECK_MS) this.#backoff.reset();
    this.#retryAt ??= this.#startedAt === 0 || this.startedMsAgo > CHECK_MS ? now : now + this.#backoff.next();
    return this.#retryAt - now;
  }

  /** Ends the daemon of a pair that is gone. */
  async #retire(): Promise<number | undefined> {
    if (!this.#unit.isRunning) return undefined;
    const now = performance.now();
    const isConfirmed = this.#options.freshAnswer()?.role === 'unpaired';
    this.#confirmedSince = isConfirmed ? (this.#confirmedSince ?? now) : undefined;
    const isOver =
      now - this.#unpairedSince >= UNPAIRED_MS.max ||
      (this.#confirmedSince !== undefined && now - this.#confirmedSince >= UNPAIRED_MS.confirmed);
    if (!isOver) return UNPAIRED_CHECK_MS;
    this.#step('stopping');
    await this.#unit.stop();
    this.#step('stopped');
    this.#options.onChange();
    return undefined;
  }

  /** A standby is only replaced while its peer serves. */
  #canReplace(): boolean {
    const answer = this.#options.freshAnswer();
    const { version } = this.#options;
    if (!answer || version === undefined || answer.daemon_version === version) {
      if (answer) this.#alarms.delete('daemon_old');
      return false;
    }
    this.#raise(
      'daemon_old',
      'info',
      `The daemon has version ${answer.daemon_version}. Version ${version} replaces it when this host has no addresses.`,
    );
    if (this.#replaced.has(answer.daemon_version)) return false;
    const isStandby = answer.role === 'standby' && answer.peer_ok && answer.peer_role === 'active';
    return isStandby || IDLE_ROLES.has(answer.role);
  }

  async #replace(): Promise<void> {
    const version = this.#options.freshAnswer()?.daemon_version ?? '';
    this.#replaced.add(version);
    this.#logger.info({ version }, 'ha.daemon_replaced');
    this.#step('stopping');
    await this.#unit.stop();
    this.#step('stopped');
    this.#startedAt = 0;
  }

  #raise(code: string, level: Alarm['level'], message: string): void {
    if (this.#alarms.get(code)?.message === message) return;
    this.#alarms.set(code, { code, level, message });
    if (level !== 'info') this.#logger.warn({ code, message }, 'ha.alarm');
  }

  #step(step: KeeperStep): void {
    this.#options.onStep?.(step);
  }
}
