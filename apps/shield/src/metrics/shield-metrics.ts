import type { CounterBook, FindingVerdict } from '@flotilla/decision';
import { type CompiledEngine, LIMITER_KEYS_PER_SHARD } from '@flotilla/engines';
import { countDroppedLines, dropSampledMetrics, WITHOUT_SAMPLING } from '@flotilla/kit';
import { ENGINE_ERROR_REASON, ENGINE_NAMES, ENGINE_TIMEOUT_REASON } from '@flotilla/policy';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { SelfTestResult, SelfTestState } from '../self-test/self-test.ts';
import type { SharedCells } from '../threads/shared-cells.ts';
import type { TrafficCell } from '../threads/traffic-recorder.ts';
import { type Metric, renderMetrics, type Sample } from './exposition.ts';
import { FINDING_ROWS } from './finding-rows.ts';
import { PHASE_BOUNDS_SECONDS, type PhaseHistogram, readPhase } from './phase-timing.ts';

const PREFIX = 'flotilla_shield_';
const STATES: readonly SelfTestState[] = ['ok', 'unknown', 'failing'];
const FAILURES = FINDING_ROWS.filter(
  ({ reason }) => reason === ENGINE_ERROR_REASON || reason === ENGINE_TIMEOUT_REASON,
);

export interface ShieldMetricsOptions {
  readonly threads: number;
  /** Counts of the exchanges of all threads. */
  readonly traffic: SharedCells<TrafficCell>;
  /** Findings by engine and reason, of all threads. */
  readonly counters: CounterBook;
  /** `PolicyRuntime.limiters` of the current bundle in one thread: all threads share them. */
  readonly limiters: () => readonly CompiledEngine[];
  readonly selfTest: () => SelfTestResult;
}

/**
 * Renders `/metrics`. The numbers are in memory that threads share, so no thread is interrupted. Label sets are closed;
 * nothing of a request becomes a label.
 */
export class ShieldMetrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly #options: ShieldMetricsOptions;
  readonly #process = new Registry();
  readonly #reloads = { applied: 0, failed: 0 };
  #loadThreadFailures = 0;
  readonly #dropped = { events: 0, log: 0 };

  constructor(options: ShieldMetricsOptions) {
    this.#options = options;
    collectDefaultMetrics({ ...WITHOUT_SAMPLING, register: this.#process, prefix: PREFIX });
    dropSampledMetrics(this.#process, PREFIX);
  }

  onReload(result: 'applied' | 'failed'): void {
    this.#reloads[result] += 1;
  }

  onLoadThreadFailed(): void {
    this.#loadThreadFailures += 1;
  }

  onFindingsDropped(from: 'events' | 'log', count: number): void {
    this.#dropped[from] += count;
  }

  async render(): Promise<string> {
    return `${renderMetrics(this.#collect())}\n${await this.#process.metrics()}`;
  }

  #collect(): Metric[] {
    const { traffic, threads, selfTest } = this.#options;
    const { state } = selfTest();
    return [
      counter('requests_total', 'Requests decided, by outcome', [
        { labels: { outcome: 'allowed' }, value: traffic.sum('allowed') },
        { labels: { outcome: 'blocked' }, value: traffic.sum('blocked') },
      ]),
      ...this.#collectFindings(),
      counter('bodies_inspected_total', 'Request bodies that engines asked for and got', one(traffic.sum('bodies'))),
      counter('body_bytes_total', 'Bytes of those bodies, as sent', one(traffic.sum('body_bytes'))),
      counter('bodies_asked_total', 'Request bodies that were asked for', one(traffic.sum('bodies_asked'))),
      counter('bodies_missing_total', 'Bodies that were asked for and did not come', [
        { labels: { cause: 'other_message' }, value: traffic.sum('bodies_missing') },
        { labels: { cause: 'ended' }, value: traffic.sum('bodies_abandoned') },
      ]),
      histogram('phase_seconds', 'Time of a phase; one in 64 header phases is timed, every body phase', [
        readPhase(traffic, 'headers'),
        readPhase(traffic, 'body'),
      ]),
      counter('exchange_errors_total', 'Exchanges that ended in an error', one(traffic.sum('exchange_errors'))),
      counter('config_reloads_total', 'Policy loads that changed something, by result', [
        { labels: { result: 'applied' }, value: this.#reloads.applied },
        { labels: { result: 'failed' }, value: this.#reloads.failed },
      ]),
      counter(
        'load_thread_failures_total',
        'Bundles that were read in the thread that answers requests, because the thread for it failed',
        one(this.#loadThreadFailures),
      ),
      counter('findings_dropped_total', 'Findings beyond the rate: not in /events, or not in the log', [
        { labels: { from: 'events' }, value: this.#dropped.events },
        { labels: { from: 'log' }, value: this.#dropped.log },
      ]),
      counter(
        'log_lines_dropped_total',
        'Lines of the log that could not be written and did not fit into what waits',
        one(countDroppedLines()),
      ),
      gauge('threads', 'Threads that answer exchanges', one(threads)),
      gauge(
        'self_test',
        'The state of the self-test is 1, the others are 0',
        STATES.map((known) => ({ labels: { state: known }, value: known === state ? 1 : 0 })),
      ),
      ...this.#collectLimiters(),
    ];
  }

  #collectFindings(): Metric[] {
    const { traffic, counters } = this.#options;
    const totals = new Map<string, number>();
    for (const { engine, reason, verdict, total } of counters.read().counters) {
      const key = `${verdict} ${engine} ${reason}`;
      totals.set(key, (totals.get(key) ?? 0) + total);
    }
    const byRow = (verdict: FindingVerdict, rows = FINDING_ROWS) =>
      rows.map((row) => ({ labels: { ...row }, value: totals.get(`${verdict} ${row.engine} ${row.reason}`) ?? 0 }));
    return [
      counter('blocked_total', 'Requests blocked, by engine and reason', byRow('blocked')),
      counter('detections_total', 'Would-be blocks of policies in mode detect', byRow('detected')),
      counter(
        'engine_failures_total',
        'Engines that broke (engine.error) or ran out of the time budget (engine.timeout), under either fail mode',
        byRow('error', FAILURES),
      ),
      counter(
        'engine_errors_total',
        'What engines threw, by engine',
        ENGINE_NAMES.map((engine) => ({ labels: { engine }, value: traffic.sum(`broken:${engine}`) })),
      ),
    ];
  }

  #collectLimiters(): Metric[] {
    const limiters = this.#options.limiters().flatMap((engine) => engine.limiter ?? []);
    const shards = limiters.flatMap((limiter) => limiter.shardSizes());
    const keys = shards.reduce((sum, size) => sum + size, 0);
    const largest = shards.reduce((max, size) => Math.max(max, size), 0);
    const full = shards.filter((size) => size >= LIMITER_KEYS_PER_SHARD).length;
    const unstored = limiters.reduce((sum, limiter) => sum + limiter.unstored, 0);
    return [
      gauge('rate_limiters', 'Limiters of the bundle', one(limiters.length)),
      gauge('rate_limit_keys', 'Keys that hold a bucket', one(keys)),
      gauge('rate_limit_shard_keys_max', 'Keys of the fullest shard', one(largest)),
      gauge(
        'rate_limit_shard_keys_avg',
        'Keys of a shard on average, over limiters that were asked',
        one(shards.length === 0 ? 0 : keys / shards.length),
      ),
      gauge('rate_limit_shards_full', 'Shards that take no new key unless one is idle', one(full)),
      gauge('rate_limit_unstored', 'Requests served from a bucket that was not kept, of these limiters', one(unstored)),
    ];
  }
}

function one(value: number): readonly Sample[] {
  return [{ value }];
}

function counter(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name: `${PREFIX}${name}`, help, type: 'counter', samples };
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name: `${PREFIX}${name}`, help, type: 'gauge', samples };
}

function histogram(name: string, help: string, phases: readonly PhaseHistogram[]): Metric {
  const samples = phases.flatMap(({ phase, cumulative, sumSeconds }): Sample[] => [
    ...cumulative.map((value, at) => ({
      suffix: '_bucket',
      labels: { phase, le: at < PHASE_BOUNDS_SECONDS.length ? String(PHASE_BOUNDS_SECONDS[at]) : '+Inf' },
      value,
    })),
    { suffix: '_sum', labels: { phase }, value: sumSeconds },
    { suffix: '_count', labels: { phase }, value: cumulative.at(-1) ?? 0 },
  ]);
  return { name: `${PREFIX}${name}`, help, type: 'histogram', samples };
}
