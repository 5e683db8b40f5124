import type { MemberReport } from '@flotilla/ha';
import type { Logger, Result } from '@flotilla/kit';
import type { fleet } from '@flotilla/proto';
import type { UnitEvent, UnitRunner } from '../host/units/types.ts';
import { readLinks } from '../network/read-state.ts';
import { DaemonWatch, type HaOrder, type OrderProblem } from './daemon-watch.ts';
import { type KeeperStep, PairKeeper } from './pair-keeper.ts';
import { haPlaces } from './places.ts';

export interface HaMemberOptions {
  readonly dataDir: string;
  readonly runner: UnitRunner;
  readonly logger: Logger;
  /** How to run `flotilla` again. */
  readonly flotillaCommand: readonly string[];
  readonly version: string | undefined;
  readonly reports: () => readonly fleet.NodeReport[];
  /** Only tests set these. */
  readonly onStep?: ((step: KeeperStep) => void) | undefined;
  /** Put before each program that reads the network. */
  readonly prefix?: readonly string[] | undefined;
}

/** The part of an HA member that the rest of the agent uses. */
export interface HaControl {
  /** Asks the daemon now. Never rejects. */
  read(): Promise<MemberReport>;
  /** Resolves with the report after the order. Never rejects. */
  order(order: HaOrder): Promise<Result<MemberReport, OrderProblem>>;
  /** Adds a listener for reports of a paired host. */
  onReport(listener: (report: MemberReport) => void): () => void;
  /** Sends a report again, because an earlier one may be lost. */
  resend(): void;
  /** The newest snapshot of a service has this state. */
  noteRollout(serviceId: string, state: fleet.RolloutState): void;
}

/** This host as a member of a pair, or of none. */
export class HaMember implements HaControl {
  readonly #keeper: PairKeeper;
  readonly #watch: DaemonWatch;

  constructor(options: HaMemberOptions) {
    const { dataDir, runner, flotillaCommand, version, reports, onStep, prefix = [] } = options;
    const places = haPlaces(dataDir);
    const logger = options.logger.child({ component: 'ha' });
    this.#watch = new DaemonWatch({ socket: places.socket, keeper: () => this.#keeper, reports });
    this.#keeper = new PairKeeper({
      places,
      runner,
      flotillaCommand,
      logger,
      version,
      readLinks: async () => {
        const links = await readLinks({ prefix });
        if (!links.ok) throw new Error(links.error.message);
        return links.value;
      },
      freshAnswer: () => this.#watch.freshAnswer,
      onChange: () => this.#watch.wake(),
      onStep,
    });
  }

  /** The desired state is on disk. */
  want(state: fleet.DesiredState): void {
    this.#keeper.want(state);
  }

  /** The addresses that this host shares. */
  get addresses(): readonly string[] {
    return this.#keeper.config?.addresses.map(({ address }) => address) ?? [];
  }

  noticeEvent(event: UnitEvent): void {
    this.#keeper.noticeEvent(event);
  }

  /** The state of a service has changed. */
  noticeReport(report: fleet.NodeReport): void {
    if (report.removed) this.#watch.forgetService(report.serviceId);
    this.#watch.wake();
  }

  noteRollout(serviceId: string, state: fleet.RolloutState): void {
    this.#watch.noteRollout(serviceId, state);
  }

  read(): Promise<MemberReport> {
    return this.#watch.read();
  }

  order(order: HaOrder): Promise<Result<MemberReport, OrderProblem>> {
    return this.#watch.order(order);
  }

  onReport(listener: (report: MemberReport) => void): () => void {
    return this.#watch.onReport(listener);
  }

  resend(): void {
    this.#watch.resend();
  }

  async close(how: 'stop' | 'leave'): Promise<void> {
    await this.#watch.close();
    await this.#keeper.close(how);
  }
}
