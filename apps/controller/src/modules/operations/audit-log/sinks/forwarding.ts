import { AUDIT_SINKS, type AuditSink, type AuditSinkName, SYSLOG_SETTINGS, WEBHOOK_SETTINGS } from '@flotilla/contract';
import type { Db } from '@flotilla/db';
import { type Clock, type Closable, Lifecycle, type Logger } from '@flotilla/kit';
import { Gauge, type Registry } from 'prom-client';
import { readForScrapes } from '../../../../platform/database/metrics.ts';
import type { Settings } from '../../../../platform/settings/index.ts';
import { describeFailure } from './delivery.ts';
import { Forwarder } from './forwarder.ts';
import { readSinks } from './sink-store.ts';
import { formatTest } from './syslog-format.ts';
import { SyslogTransport } from './syslog-transport.ts';
import { WebhookTransport } from './webhook-transport.ts';

/** Read once for both gauges of a scrape. */
const READ_EVERY_MS = 1000;

export interface ForwardingDeps {
  readonly db: Db;
  readonly settings: Settings;
  readonly metrics: Registry;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Forwards the audit log to the receivers in the settings `syslog` and `webhook`. */
export class Forwarding implements Closable {
  readonly #deps: ForwardingDeps;
  readonly #started = new Lifecycle();
  readonly #enabled = new Set<AuditSinkName>();

  constructor(deps: ForwardingDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    const { settings } = this.#deps;
    const syslog = this.#open('syslog');
    const webhook = this.#open('webhook');
    const watches = [
      await settings.watch(SYSLOG_SETTINGS, (value) => {
        this.#note('syslog', value.enabled);
        syslog.use(value.enabled ? new SyslogTransport(value) : undefined);
      }),
      await settings.watch(WEBHOOK_SETTINGS, (value) => {
        this.#note('webhook', value.enabled);
        webhook.use(value.enabled ? new WebhookTransport(value) : undefined);
      }),
    ];
    for (const watch of watches) this.#started.add(() => watch.close());
    settings.addTest(SYSLOG_SETTINGS, (value) =>
      tryOnce(() => new SyslogTransport(value).send([formatTest(value, new Date())], allowed)),
    );
    settings.addTest(WEBHOOK_SETTINGS, (value) =>
      tryOnce(() => new WebhookTransport(value).post([{ type: 'test', at: new Date().toISOString() }], allowed)),
    );
    this.#measure();
  }

  close(): Promise<void> {
    return this.#started.close();
  }

  async list(): Promise<AuditSink[]> {
    const rows = new Map((await readSinks(this.#deps.db)).map((row) => [row.name, row]));
    return AUDIT_SINKS.map((name) => {
      const row = rows.get(name);
      const isOn = this.#enabled.has(name);
      return {
        name,
        state: isOn ? (row?.failing_since ? 'failing' : 'working') : 'off',
        position: row?.position ?? null,
        lag_entries: row?.lag_entries ?? 0,
        lag_seconds: Math.round((row?.lag_seconds ?? 0) * 1000) / 1000,
        delivered_at: row?.delivered_at?.toISOString() ?? null,
        failing_since: row?.failing_since?.toISOString() ?? null,
        last_error: row?.last_error ?? null,
      };
    });
  }

  #open(name: AuditSinkName): Forwarder {
    const { db, logger, clock } = this.#deps;
    const forwarder = new Forwarder({ db, name, logger, clock });
    this.#started.add(() => forwarder.close());
    return forwarder;
  }

  #note(name: AuditSinkName, isEnabled: boolean): void {
    if (isEnabled) this.#enabled.add(name);
    else this.#enabled.delete(name);
  }

  #measure(): void {
    const { metrics, clock } = this.#deps;
    const list = readForScrapes(() => this.list(), { everyMs: READ_EVERY_MS, now: () => new Date(clock.now()) });
    const gauge = (measure: string, help: string, read: (sink: AuditSink) => number) =>
      new Gauge({
        name: `flotilla_audit_sink_${measure}`,
        help,
        labelNames: ['sink'],
        registers: [metrics],
        async collect() {
          const sinks = (await list()) ?? [];
          this.reset();
          for (const sink of sinks) this.set({ sink: sink.name }, read(sink));
        },
      });
    gauge('lag_entries', 'Sealed entries of the audit log that are not delivered yet', (sink) => sink.lag_entries);
    gauge('lag_seconds', 'Age of the oldest entry that is not delivered yet', (sink) => sink.lag_seconds);
  }
}

function allowed(): void {}

async function tryOnce(send: () => Promise<void>) {
  try {
    await send();
    return [{ name: 'send', ok: true, message: 'a test message was taken' }];
  } catch (error) {
    return [{ name: 'send', ok: false, message: describeFailure(error) }];
  }
}
