import type { Finding } from '@flotilla/decision';
import type { RequestView } from '@flotilla/engines';
import type { WireError } from '@flotilla/grpc-wire';
import { type Clock, systemClock } from '@flotilla/kit';
import { ENGINE_NAMES, type EngineName } from '@flotilla/policy';
import { PerSecondQuota } from '../events/per-second-quota.ts';
import type { ExchangeListener } from '../exchange/exchange.ts';
import { PHASE_CELLS, type PhaseCell, PhaseTiming } from '../metrics/phase-timing.ts';
import type { SelfTestSignals } from '../self-test/wiring-signals.ts';
import { SharedCells } from './shared-cells.ts';

/** Counts of every thread. `CounterBook` counts verdicts by policy, engine and reason. */
export type TrafficCell =
  | 'allowed'
  | 'blocked'
  | 'exchange_errors'
  | 'bodies'
  | 'body_bytes'
  | 'bodies_asked'
  | 'bodies_missing'
  | 'bodies_abandoned'
  | `broken:${EngineName}`
  | PhaseCell;

const CELLS: readonly TrafficCell[] = [
  'allowed',
  'blocked',
  'exchange_errors',
  'bodies',
  'body_bytes',
  'bodies_asked',
  'bodies_missing',
  'bodies_abandoned',
  ...ENGINE_NAMES.map((engine) => `broken:${engine}` as const),
  ...PHASE_CELLS,
];

export function createTrafficCells(threads: number, memory?: SharedArrayBuffer): SharedCells<TrafficCell> {
  return new SharedCells(CELLS, threads, memory);
}

export interface TrafficRecorderOptions {
  readonly cells: SharedCells<TrafficCell>;
  readonly thread: number;
  readonly selfTest: SelfTestSignals;
  readonly onFinding: (finding: Finding, request: RequestView) => void;
  /** Errors are counted individually, and reported at a limited rate. */
  readonly onEngineError: (engine: string, error: unknown) => void;
  readonly onExchangeError: (error: WireError) => void;
  readonly clock?: Clock;
}

/** Reported errors of one kind per second. */
const ERRORS_PER_SECOND = 20;

/** Observes the exchanges of one thread: counts them in the thread's cells, and passes on everything else. */
export class TrafficRecorder implements ExchangeListener {
  readonly #options: TrafficRecorderOptions;
  readonly #selfTest: SelfTestSignals;
  readonly #row: Float64Array;
  readonly #allowed: number;
  readonly #blocked: number;
  readonly #bodies: number;
  readonly #bodyBytes: number;
  readonly #bodiesAsked: number;
  readonly timing: PhaseTiming;
  /** The last exchange did not begin with headers. */
  #isHeadless = false;
  readonly #errors = new PerSecondQuota(ERRORS_PER_SECOND);
  readonly #clock: Clock;

  constructor(options: TrafficRecorderOptions) {
    const { cells, thread, selfTest } = options;
    this.#options = options;
    this.#selfTest = selfTest;
    this.#clock = options.clock ?? systemClock;
    this.#row = cells.rowOf(thread);
    this.#allowed = cells.at('allowed');
    this.#blocked = cells.at('blocked');
    this.#bodies = cells.at('bodies');
    this.#bodyBytes = cells.at('body_bytes');
    this.#bodiesAsked = cells.at('bodies_asked');
    this.timing = new PhaseTiming(cells, thread);
  }

  onDecided(isBlocked: boolean): void {
    if (this.#isHeadless) {
      this.#isHeadless = false;
      this.#selfTest.onHeadersArrived();
    }
    this.#add(isBlocked ? this.#blocked : this.#allowed, 1);
  }

  onBodyInspected(bytes: number): void {
    this.#add(this.#bodies, 1);
    this.#add(this.#bodyBytes, bytes);
  }

  onFinding(finding: Finding, request: RequestView): void {
    this.#options.onFinding(finding, request);
  }

  onEngineError(engine: string, error: unknown): void {
    const { cells } = this.#options;
    this.#add(cells.at(`broken:${engine as EngineName}`), 1);
    if (this.#errors.take(engine, this.#clock.now())) this.#options.onEngineError(engine, error);
  }

  /** A domain could not be created before its next request, so there is no exchange yet. */
  onUnbuiltDomain(error: unknown): void {
    if (this.#errors.take('domain', this.#clock.now())) this.#options.onEngineError('domain', error);
  }

  onExchangeError(error: WireError): void {
    this.#add(this.#options.cells.at('exchange_errors'), 1);
    if (this.#errors.take(`exchange ${error.scope}`, this.#clock.now())) this.#options.onExchangeError(error);
  }

  onBodyAsked(): void {
    this.#add(this.#bodiesAsked, 1);
    this.#selfTest.onBodyAsked();
  }

  onBodyArrived(isComplete: boolean): void {
    this.#selfTest.onBodyArrived(isComplete);
  }

  onBodyCut(isBelowCap: boolean): void {
    this.#selfTest.onBodyCut(isBelowCap);
  }

  onBodyMissing(): void {
    this.#add(this.#options.cells.at('bodies_missing'), 1);
    this.#selfTest.onBodyMissing();
  }

  onBodyIgnored(): void {
    this.#add(this.#options.cells.at('bodies_missing'), 1);
    this.#selfTest.onBodyIgnored();
  }

  onBodyAbandoned(): void {
    this.#add(this.#options.cells.at('bodies_abandoned'), 1);
    this.#selfTest.onBodyAbandoned();
  }

  onHeadersMissing(): void {
    this.#isHeadless = true;
    this.#selfTest.onHeadersMissing();
  }

  #add(cell: number, amount: number): void {
    this.#row[cell] = (this.#row[cell] ?? 0) + amount;
  }
}
