import type { DecisionListener, Finding } from '@flotilla/decision';
import { type CompiledEngine, ENGINE_REASONS, type RateLimitEngine } from '@flotilla/engines';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

const PREFIX = 'flotilla_shield_';

/** The filter's counters. Label sets are closed: engines and reasons are known at build time. */
export class ShieldMetrics implements DecisionListener {
  readonly registry = new Registry();
  readonly #allowed: Counter.Internal;
  readonly #refused: Counter.Internal;
  readonly #blocked: Counter;
  readonly #detections: Counter;
  readonly #engineErrors: Counter;
  readonly #exchangeErrors: Counter;
  readonly #reloads: Counter;
  readonly #onEngineFailure: (engine: string, error: unknown) => void;

  constructor(options: {
    readonly engines: () => readonly CompiledEngine[];
    readonly onEngineFailure: (engine: string, error: unknown) => void;
  }) {
    this.#onEngineFailure = options.onEngineFailure;
    const requests = this.#counter('requests_total', 'Requests decided, by outcome', ['outcome']);
    this.#allowed = requests.labels('allowed');
    this.#refused = requests.labels('blocked');
    this.#blocked = this.#counter('blocked_total', 'Requests blocked, by engine and reason', [
      'engine',
      'reason',
      'severity',
    ]);
    this.#detections = this.#counter('detections_total', 'Would-be blocks of policies in mode detect', [
      'engine',
      'reason',
      'severity',
    ]);
    this.#engineErrors = this.#counter('engine_errors_total', 'Internal engine errors', ['engine']);
    this.#exchangeErrors = this.#counter('exchange_errors_total', 'Exchanges that ended in an error', []);
    this.#reloads = this.#counter('config_reloads_total', 'Policy loads, by result', ['result']);
    for (const [engine, reasons] of Object.entries(ENGINE_REASONS)) {
      for (const { reason, severity } of reasons) {
        this.#blocked.inc({ engine, reason, severity }, 0);
        this.#detections.inc({ engine, reason, severity }, 0);
      }
    }
    const limiters = () => options.engines().filter(isRateLimitEngine);
    this.#gauge('rate_limit_keys', 'Keys that hold a bucket', () =>
      limiters().reduce((sum, engine) => sum + engine.limiter.size, 0),
    );
    this.#gauge('rate_limit_unstored', 'Requests served from an unstored bucket since the limiters were made', () =>
      limiters().reduce((sum, engine) => sum + engine.limiter.unstored, 0),
    );
    collectDefaultMetrics({ register: this.registry, prefix: PREFIX });
  }

  onDecided(blocked: boolean): void {
    (blocked ? this.#refused : this.#allowed).inc();
  }

  onFinding({ engine, verdict, outcome }: Finding): void {
    if (outcome === 'error') return;
    const counter = outcome === 'blocked' ? this.#blocked : this.#detections;
    counter.inc({ engine, reason: verdict.reason, severity: verdict.severity });
  }

  onEngineError(engine: string, error: unknown): void {
    this.#engineErrors.inc({ engine });
    this.#onEngineFailure(engine, error);
  }

  onExchangeError(): void {
    this.#exchangeErrors.inc();
  }

  onReload(result: 'applied' | 'failed'): void {
    this.#reloads.inc({ result });
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name: `${PREFIX}${name}`, help, labelNames, registers: [this.registry] });
  }

  #gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({
      name: `${PREFIX}${name}`,
      help,
      registers: [this.registry],
      collect: () => gauge.set(read()),
    });
  }
}

function isRateLimitEngine(engine: CompiledEngine): engine is RateLimitEngine {
  return engine.name === 'rate_limit' && 'limiter' in engine;
}
