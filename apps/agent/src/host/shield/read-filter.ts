import { equals } from '@bufbuild/protobuf';
import { SerialQueue } from '@flotilla/kit';
import { fleet } from '@flotilla/proto';
import type { ServiceSocket } from '../service-socket.ts';
import { type MinuteCursor, readShieldCounters } from './read-counters.ts';
import { EVENTS_PER_PAGE, type EventCursor, readShieldEvents } from './read-events.ts';
import { readShieldHealth } from './read-health.ts';

/** Limit of unread counters of ended filters. */
const ENDED_FILTERS_MAX = 16;
/** Limit of pages with findings that are read before a filter ends and kept until the next call. */
const LAST_PAGES_MAX = 10;

export interface FilterReaderOptions {
  readonly adminSocket: ServiceSocket;
  readonly serviceId: string;
  /** Points the filter to the current Envoy. */
  readonly showEnvoy: () => Promise<void>;
  readonly isRunning: () => boolean;
  readonly onHealth: () => void;
}

/**
 * Reads the counters, findings and health of the filter of one service. A filter is read once more before it is ended, and the
 * next call returns these results. Nothing here rejects.
 */
export class FilterReader {
  readonly #options: FilterReaderOptions;
  readonly #lastCounters: fleet.ShieldCounters[] = [];
  readonly #lastEvents: fleet.ShieldEvents[] = [];
  #cursor: EventCursor = { epoch: '', seq: 0 };
  #minutes: MinuteCursor = { epoch: '', seq: 0 };
  /** Serializes the pages, because each begins where the previous one ended. */
  readonly #reading = new SerialQueue();
  #health: fleet.ShieldHealth | undefined;

  constructor(options: FilterReaderOptions) {
    this.#options = options;
  }

  /** The last health that was read. Undefined if the filter does not run. */
  get health(): fleet.ShieldHealth | undefined {
    return this.#options.isRunning() ? this.#health : undefined;
  }

  async counters(): Promise<fleet.ShieldCounters[]> {
    const running = this.#options.isRunning() ? await this.#readCounters() : undefined;
    return [...this.#lastCounters.splice(0), ...(running ? [running] : [])];
  }

  /** Returns at most one page of the running filter, and the kept pages of ended filters. */
  async events(): Promise<fleet.ShieldEvents[]> {
    const running = this.#options.isRunning() ? await this.#nextPage() : undefined;
    return [...this.#lastEvents.splice(0), ...(running ? [running] : [])];
  }

  async checkHealth(): Promise<void> {
    // If this fails, the filter reports in its health that it cannot find Envoy.
    if (this.#options.isRunning()) await this.#options.showEnvoy().catch(() => undefined);
    const health = this.#options.isRunning() ? await readShieldHealth(this.#options.adminSocket) : undefined;
    const isSame =
      health && this.#health ? equals(fleet.ShieldHealthSchema, health, this.#health) : health === this.#health;
    this.#health = health;
    if (!isSame) this.#options.onHealth();
  }

  /** Reads a filter for the last time. Await this before the filter is ended. */
  async readLast(): Promise<void> {
    const counters = await this.#readCounters();
    if (counters && this.#lastCounters.length < ENDED_FILTERS_MAX) this.#lastCounters.push(counters);
    while (this.#lastEvents.length < LAST_PAGES_MAX) {
      const page = await this.#nextPage();
      if (page) this.#lastEvents.push(page);
      if (page === undefined || page.events.length < EVENTS_PER_PAGE) return;
    }
  }

  async #readCounters(): Promise<fleet.ShieldCounters | undefined> {
    const { adminSocket, serviceId } = this.#options;
    const found = await readShieldCounters(adminSocket, serviceId, this.#minutes);
    const last = found?.minutes.findLast(({ open }) => !open);
    if (found && last) this.#minutes = { epoch: found.epoch, seq: Number(last.seq) };
    return found;
  }

  /** Returns undefined if there are no new findings. */
  #nextPage(): Promise<fleet.ShieldEvents | undefined> {
    const { adminSocket, serviceId } = this.#options;
    return this.#reading.run(async () => {
      const found = await readShieldEvents(adminSocket, serviceId, this.#cursor);
      if (found === undefined) return undefined;
      this.#cursor = found.next;
      return found.message.events.length > 0 ? found.message : undefined;
    });
  }
}
