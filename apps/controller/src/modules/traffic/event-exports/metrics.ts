import { Counter, Gauge, type Registry } from 'prom-client';
import { readForScrapes } from '../../../platform/database/metrics.ts';
import type { MetricDeps } from '../../../platform/features/index.ts';
import { sumExports } from './place-store.ts';

const READ_EVERY_MS = 1000;

export function measureExports({ db, metrics }: MetricDeps): void {
  const read = readForScrapes(() => sumExports(db), { everyMs: READ_EVERY_MS, now: () => new Date() });
  const gauge = (name: string, help: string, of: 'backlog' | 'lost' | 'failing') =>
    new Gauge({
      name: `flotilla_event_exports_${name}`,
      help,
      registers: [metrics],
      async collect() {
        this.set((await read())?.[of] ?? Number.NaN);
      },
    });
  gauge('waiting_events', 'Events that wait for exports', 'backlog');
  gauge('lost_events', 'Events that the retention deleted before exports had looked at them', 'lost');
  gauge('failing', 'Exports whose receiver does not accept events', 'failing');
}

export function countSent(metrics: Registry): Counter<'kind' | 'outcome'> {
  return new Counter({
    name: 'flotilla_event_exports_attempts_total',
    help: 'Batches of events that were sent to receivers, by kind of receiver and outcome',
    labelNames: ['kind', 'outcome'],
    registers: [metrics],
  });
}
