import type { FindingPage, UncountedFinding } from '@flotilla/decision';
import type { Logger } from '@flotilla/kit';
import { FindingRing } from './finding-ring.ts';
import { PerSecondQuota } from './per-second-quota.ts';

/** Log lines per second and reason. */
const LINES_PER_SECOND = 20;

export interface FindingLogOptions {
  readonly epoch: string;
  /** Number of findings kept for `/events`. */
  readonly keep: number;
  readonly logger: Logger;
  /** Called for findings that are not published; a finding may be missing in the log but present in the ring. */
  readonly onDropped: (from: 'events' | 'log', count: number) => void;
}

/** Collects the findings of all threads: in the ring behind `/events`, and as log lines. */
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
