import type { Logger } from '@flotilla/kit';
import type { FindingLog } from '../events/finding-log.ts';
import { DROPS_REPORTED_EVERY_MS, FindingRecorder } from '../events/finding-recorder.ts';
import { arrivalClock } from '../exchange/arrival-clock.ts';
import type { ListenAddress } from '../listen-address.ts';
import { mergeReadings, SelfTest, type SelfTestResult } from '../self-test/self-test.ts';
import { type ExchangeFailure, type ThreadError, toExchangeFailure, toThreadError } from './messages.ts';
import { ServingThread } from './serving-thread.ts';
import type { SharedCells } from './shared-cells.ts';
import type { ThreadNews } from './thread-handle.ts';
import { type TrafficCell, TrafficRecorder } from './traffic-recorder.ts';

export interface FirstThreadOptions {
  readonly listen: ListenAddress;
  readonly trustedHops: number;
  /** The filter's own name in findings. */
  readonly node: string;
  readonly traffic: SharedCells<TrafficCell>;
  readonly findings: FindingLog;
  readonly logger: Logger;
}

/** The main thread: serves like every other, and collects the reports of all. */
export class FirstThread {
  readonly serving: ServingThread;
  readonly #findings: FindingLog;
  readonly #logger: Logger;
  readonly #selfTest = new SelfTest((reading) => this.#onSelfTest(0, reading));
  readonly #flush: NodeJS.Timeout;
  readonly #readings = new Map<number, SelfTestResult>();

  constructor(options: FirstThreadOptions) {
    this.#findings = options.findings;
    this.#logger = options.logger;
    const recorder = new FindingRecorder({ sink: options.findings, node: options.node, clock: arrivalClock });
    this.#flush = setInterval(() => recorder.flush(), DROPS_REPORTED_EVERY_MS).unref();
    const traffic = new TrafficRecorder({
      cells: options.traffic,
      thread: 0,
      selfTest: this.#selfTest,
      onFinding: (finding, request) => recorder.onFinding(finding, request),
      onEngineError: (engine, error) => this.#onEngineFailed(0, engine, toThreadError(error)),
      onExchangeError: (error) => this.#onExchangeFailed(0, toExchangeFailure(error)),
    });
    this.serving = new ServingThread({ listen: options.listen, trustedHops: options.trustedHops, traffic });
  }

  /** Merged over all threads. */
  get selfTest(): SelfTestResult {
    return mergeReadings([this.#selfTest.reading, ...this.#readings.values()]);
  }

  onNews(thread: number, news: ThreadNews): void {
    switch (news.kind) {
      case 'finding':
        this.#findings.add(news.finding);
        break;
      case 'dropped':
        this.#findings.drop(news.count);
        break;
      case 'self_test':
        this.#readings.set(thread, news.reading);
        this.#onSelfTest(thread, news.reading);
        break;
      case 'engine_failed':
        this.#onEngineFailed(thread, news.engine, news.error);
        break;
      case 'exchange_failed':
        this.#onExchangeFailed(thread, news.failure);
        break;
    }
  }

  /** Handles the result from Envoy's own configuration. */
  onWiring({ state, problems }: SelfTestResult): void {
    if (state === 'failing') this.#logger.error({ event: 'wiring_failing', problems });
    else this.#logger.info({ event: 'wiring', state, problems });
  }

  close(): void {
    clearInterval(this.#flush);
  }

  #onSelfTest(thread: number, { state, problems }: SelfTestResult): void {
    if (state === 'failing') this.#logger.error({ event: 'self_test_failing', thread, problems });
    else this.#logger.info({ event: 'self_test', thread, state });
  }

  #onEngineFailed(thread: number, engine: string, error: ThreadError): void {
    this.#logger.error({ event: 'engine_failed', thread, engine, err: error });
  }

  #onExchangeFailed(thread: number, { scope, reason, error }: ExchangeFailure): void {
    this.#logger.error({ event: 'exchange_failed', thread, scope, reason, ...(error && { err: error }) });
  }
}
