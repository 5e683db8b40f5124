import { createFindingEvent, type Finding, type UncountedFinding } from '@flotilla/decision';
import type { RequestView } from '@flotilla/engines';
import type { Clock } from '@flotilla/kit';
import { PerSecondQuota } from './per-second-quota.ts';

/** Events per second and reason that one thread creates; further ones are only counted. */
export const FINDINGS_PER_SECOND = 100;
/** Interval for reporting the number of dropped findings; call `flush` at least this often. */
export const DROPS_REPORTED_EVERY_MS = 1000;

/** Receives the findings of a thread. */
export interface FindingSink {
  add(finding: UncountedFinding): void;
  drop(count: number): void;
}

/**
 * Creates events from findings at a limited rate: during a flood of blocks a finding costs one map lookup and no string
 * is created. Dropped findings are reported with the next event, or by `flush`.
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
