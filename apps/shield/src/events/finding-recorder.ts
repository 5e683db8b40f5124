import { createFindingEvent, type Finding, type UncountedFinding } from '@flotilla/decision';
import type { RequestView } from '@flotilla/engines';
import type { Clock } from '@flotilla/kit';
import { PerSecondQuota } from './per-second-quota.ts';

/** Events per second and reason that one thread makes; what is beyond is counted. */
export const FINDINGS_PER_SECOND = 100;
/** How often the number of dropped findings is handed on at most, and `flush` is to be called at least. */
export const DROPS_REPORTED_EVERY_MS = 1000;

/** Where a thread hands its findings. */
export interface FindingSink {
  add(finding: UncountedFinding): void;
  drop(count: number): void;
}

/**
 * Makes events of findings, at a bounded rate: under a flood of blocks a finding costs a look into a map, no text is made
 * of it. Dropped findings are reported with the next event, or when `flush` is called.
 */
export class FindingRecorder {
  readonly #sink: FindingSink;
  readonly #node: string;
  readonly #clock: Clock;
  readonly #quota = new PerSecondQuota(FINDINGS_PER_SECOND);
  #dropped = 0;
  #reportedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly sink: FindingSink; readonly node: string; readonly clock: Clock }) {
    this.#sink = options.sink;
    this.#node = options.node;
    this.#clock = options.clock;
  }

  onFinding(finding: Finding, request: RequestView): void {
    const nowMs = this.#clock.now();
    if (!this.#quota.take(finding.verdict.reason, nowMs)) {
      this.#dropped += 1;
      if (Math.abs(nowMs - this.#reportedAtMs) >= DROPS_REPORTED_EVERY_MS) this.#report(nowMs);
      return;
    }
    if (this.#dropped > 0) this.#report(nowMs);
    this.#sink.add(createFindingEvent(finding, request, { node: this.#node, nowMs }));
  }

  flush(): void {
    if (this.#dropped > 0) this.#report(this.#clock.now());
  }

  #report(nowMs: number): void {
    this.#reportedAtMs = nowMs;
    this.#sink.drop(this.#dropped);
    this.#dropped = 0;
  }
}
