import { Backoff, type Closable, type Logger } from '@flotilla/kit';
import { Counter, type Registry } from 'prom-client';
import { VERSION } from '../version.ts';
import type { OtlpConfig, OtlpTarget } from './config.ts';
import { encodeLogs, toLogRecord } from './logs-encoding.ts';
import type { LogQueue } from './logs-queue.ts';
import { encodeMetrics } from './metrics-encoding.ts';
import { type SendOutcome, sendOtlp } from './send.ts';

export interface OtlpDeps {
  readonly config: OtlpConfig;
  readonly metrics: Registry;
  readonly logs: LogQueue;
  readonly logger: Logger;
}

type Signal = 'metrics' | 'logs';

const LOGS_EVERY_MS = 1000;
const LOGS_BATCH = 512;
const RETRY = { initialMs: 1000, maxMs: 60_000 };
const LAST_CHANCE_MS = 2000;
/** Events of the exporter itself, which are not exported: each failure would cause the next record. */
const OWN_EVENTS = '"msg":"otlp.';

/**
 * Sends the metrics of the registry and the lines of the log to a receiver of OTLP. One request of each signal is open at a time. Metrics are
 * sums, so a request that failed is not repeated: the next one has everything. Log lines wait in a bounded queue.
 */
export class OtlpExporter implements Closable {
  readonly #deps: OtlpDeps;
  readonly #startMs = Date.now() - performance.now();
  readonly #stopped = new AbortController();
  readonly #outcomes: Counter<'signal' | 'outcome'>;
  readonly #failing = new Set<Signal>();
  readonly #loops: Promise<void>[] = [];
  readonly #wakes = new Set<() => void>();

  constructor(deps: OtlpDeps) {
    this.#deps = deps;
    const registers = [deps.metrics];
    this.#outcomes = new Counter({
      name: 'flotilla_otlp_exports_total',
      help: 'Requests to the receiver of OTLP, by signal and outcome',
      labelNames: ['signal', 'outcome'],
      registers,
    });
    new Counter({
      name: 'flotilla_otlp_log_lines_dropped_total',
      help: 'Lines of the log that were not exported, because the receiver did not take them in time',
      registers,
      collect() {
        this.reset();
        this.inc(deps.logs.dropped);
      },
    });
  }

  start(): void {
    const { metrics, logs, intervalMs } = this.#deps.config;
    if (metrics) this.#loops.push(this.#repeat(() => this.#sendMetrics(metrics), intervalMs));
    if (logs) this.#loops.push(this.#exportLogs(logs));
  }

  /** Sends what waits once more, for two seconds at most. */
  async close(): Promise<void> {
    this.#stopped.abort();
    for (const wake of this.#wakes) wake();
    await Promise.all(this.#loops);
    const { metrics, logs } = this.#deps.config;
    const last = AbortSignal.timeout(LAST_CHANCE_MS);
    await Promise.all([metrics && this.#sendMetrics(metrics, last), logs && this.#sendLogs(logs, last)]);
  }

  async #repeat(work: () => Promise<void>, everyMs: number): Promise<void> {
    while (!this.#stopped.signal.aborted) {
      await this.#pause(everyMs);
      if (!this.#stopped.signal.aborted) await work();
    }
  }

  async #exportLogs(target: OtlpTarget): Promise<void> {
    const backoff = new Backoff(RETRY);
    while (!this.#stopped.signal.aborted) {
      await this.#pause(this.#failing.has('logs') ? backoff.next() : LOGS_EVERY_MS);
      while (!this.#stopped.signal.aborted && this.#deps.logs.waiting > 0) {
        if ((await this.#sendLogs(target)) !== 'accepted') break;
        backoff.reset();
      }
    }
  }

  async #sendMetrics(target: OtlpTarget, stop = this.#stopped.signal): Promise<void> {
    const { metrics, config, logger } = this.#deps;
    try {
      const values = await metrics.getMetricsAsJSON();
      const times = { startMs: this.#startMs, nowMs: Date.now() };
      const request = encodeMetrics(values, { ...times, resource: config.resource, version: VERSION });
      this.#note('metrics', await sendOtlp(target, request, stop));
    } catch (error) {
      logger.warn({ err: error }, 'otlp.metrics_not_read');
    }
  }

  async #sendLogs(target: OtlpTarget, stop = this.#stopped.signal): Promise<SendOutcome> {
    const { logs, config } = this.#deps;
    const lines = logs.peek(LOGS_BATCH);
    const records = lines.flatMap((line) => (line.includes(OWN_EVENTS) ? [] : (toLogRecord(line) ?? [])));
    const outcome =
      records.length === 0
        ? 'accepted'
        : await sendOtlp(target, encodeLogs(records, { resource: config.resource, version: VERSION }), stop);
    if (outcome === 'accepted') logs.remove(lines.length);
    else if (!outcome.retry) logs.drop(lines.length);
    if (records.length > 0) this.#note('logs', outcome);
    return outcome;
  }

  #note(signal: Signal, outcome: SendOutcome): void {
    const { logger } = this.#deps;
    const isAccepted = outcome === 'accepted';
    this.#outcomes.inc({ signal, outcome: isAccepted ? 'accepted' : 'failed' });
    if (isAccepted) {
      if (this.#failing.delete(signal)) logger.info({ signal }, 'otlp.works_again');
    } else if (!this.#failing.has(signal)) {
      this.#failing.add(signal);
      logger.warn({ signal, reason: outcome.reason }, 'otlp.not_accepted');
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stopped.signal.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        this.#wakes.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms).unref();
      this.#wakes.add(end);
    });
  }
}
