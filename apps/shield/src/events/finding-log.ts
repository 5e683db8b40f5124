import type { FindingPage, UncountedFinding } from '@flotilla/decision';
import type { Logger } from '@flotilla/kit';
import { FindingRing } from './finding-ring.ts';
import { PerSecondQuota } from './per-second-quota.ts';

/** Lines of the log per second and reason. */
const LINES_PER_SECOND = 20;

export interface FindingLogOptions {
  readonly epoch: string;
  /** Findings that are kept for `/events`. */
  readonly keep: number;
  readonly logger: Logger;
  /** Called for findings that are not told; in the log they may be missing although the ring has them. */
  readonly onDropped: (from: 'events' | 'log', count: number) => void;
}

/** Where the findings of all threads come together: the ring behind `/events`, and a line of the log each. */
export class FindingLog {
  readonly #ring: FindingRing;
  readonly #quota = new PerSecondQuota(LINES_PER_SECOND);
  readonly #options: FindingLogOptions;

  constructor(options: FindingLogOptions) {
    this.#options = options;
    this.#ring = new FindingRing(options.epoch, options.keep);
  }

  add(finding: UncountedFinding): void {
    const event = this.#ring.add(finding);
    if (this.#quota.take(finding.reason, Date.parse(finding.time))) {
      this.#options.logger.info({ event: 'finding', finding: event });
    } else this.#options.onDropped('log', 1);
  }

  drop(count: number): void {
    this.#ring.skip(count);
    this.#options.onDropped('events', count);
  }

  page(after: number, limit: number): FindingPage {
    return this.#ring.page(after, limit);
  }
}
