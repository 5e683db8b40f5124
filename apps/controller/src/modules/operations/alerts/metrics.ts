import { Counter, Gauge, type Registry } from 'prom-client';
import { readForScrapes } from '../../../platform/database/metrics.ts';
import type { MetricDeps } from '../../../platform/features/index.ts';
import { countOpenDeliveries } from './deliver/outbox-store.ts';

const READ_EVERY_MS = 1000;

export function measureDeliveries({ db, metrics }: MetricDeps): void {
  const count = readForScrapes(() => countOpenDeliveries(db), { everyMs: READ_EVERY_MS, now: () => new Date() });
  new Gauge({
    name: 'flotilla_alert_messages_waiting',
    help: 'Messages about alerts that are not delivered yet',
    registers: [metrics],
    async collect() {
      this.set((await count()) ?? Number.NaN);
    },
  });
}

export function countAttempts(metrics: Registry): Counter<'kind' | 'outcome'> {
  return new Counter({
    name: 'flotilla_alert_message_attempts_total',
    help: 'Attempts to deliver messages about alerts, by kind of channel and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [metrics],
  });
}
