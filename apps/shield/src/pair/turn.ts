import type { Logger } from '@flotilla/kit';
import type { DutyReading } from '../admin/describe-config.ts';
import type { ShieldOptions } from '../options.ts';
import type { StateKeeper } from '../state/state-keeper.ts';
import { Duty } from './duty.ts';
import { publishSocket, publishSockets } from './publish.ts';

/** The part of `ShieldOptions` with a filter's addresses. */
export type PlaceOptions = Pick<ShieldOptions, 'listen' | 'admin' | 'threads' | 'pair'>;

export interface TurnOptions {
  readonly place: PlaceOptions;
  readonly state: StateKeeper | undefined;
  readonly logger: Logger;
  /** Restores the limits of the previous filter. */
  readonly restore: () => Promise<void>;
  /** Starts the threads at `addressesOf`, and the admin server. */
  readonly listen: () => Promise<void>;
  readonly listenAdmin: () => Promise<void>;
}

/**
 * Decides when this process serves. Without a pair it serves at once until it ends. In a pair it listens at private
 * addresses, waits for its turn, then takes over the limits and the shared addresses; when it must end, it first lets
 * the other one serve.
 */
export class Turn {
  readonly #options: TurnOptions;
  readonly #duty: Duty | undefined;
  #reading: DutyReading = 'starting';

  constructor(options: TurnOptions) {
    this.#options = options;
    const { pair } = options.place;
    this.#duty = pair && new Duty({ own: pair.duty, shared: pair.sharedDuty, onWaiting: () => this.#onWaiting() });
  }

  /** The addresses of this process before it serves. */
  static addressesOf({ listen, admin, pair }: PlaceOptions): Pick<PlaceOptions, 'listen' | 'admin'> {
    return pair === undefined ? { listen, admin } : { listen: pair.listen, admin: pair.admin };
  }

  get reading(): DutyReading {
    return this.#reading;
  }

  /** Aborts when another process serves instead without having been asked. */
  get lost(): AbortSignal | undefined {
    return this.#duty?.lost;
  }

  /** Resolves to true when this process serves; false if `signal` aborts first. */
  async begin(signal: AbortSignal): Promise<boolean> {
    const { restore, listen, listenAdmin } = this.#options;
    if (this.#duty !== undefined) return this.#waitForTurn(this.#duty, signal);
    await restore();
    await listen();
    this.#reading = 'serving';
    // Not earlier: readers of a new policy there conclude that requests are decided by it.
    await listenAdmin();
    return true;
  }

  async #waitForTurn(duty: Duty, signal: AbortSignal): Promise<boolean> {
    const { place, restore, listen, listenAdmin } = this.#options;
    await listen();
    await listenAdmin();
    await duty.open();
    const hasTurn = await duty.take(signal).then(
      () => true,
      (error: unknown) => {
        if (signal.aborted) return false;
        throw error;
      },
    );
    if (!hasTurn) return false;
    await restore();
    const own = Turn.addressesOf(place);
    await publishSockets({ from: own.listen, to: place.listen, threads: place.threads });
    await publishSocket(own.admin, place.admin);
    this.#reading = 'serving';
    duty.announce();
    return true;
  }

  #onWaiting(): void {
    this.#reading = 'standby';
    this.#options.logger.info({ event: 'standing_by' });
  }

  /** Lets another process serve from now on, if there is one. */
  async end(): Promise<void> {
    const { state, logger } = this.#options;
    this.#reading = 'standby';
    const duty = this.#duty;
    if (duty === undefined || !duty.hasSuccessor) return;
    await state?.release();
    const isTaken = await duty.handOver();
    // Otherwise counts until the end would be lost with this process.
    if (!isTaken) state?.start();
    logger.info({ event: 'handed_over', taken: isTaken });
  }

  async close(): Promise<void> {
    if (this.lost?.aborted) this.#options.state?.abandon();
    await this.#duty?.close();
  }
}
