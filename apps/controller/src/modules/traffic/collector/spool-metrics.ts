import { Gauge } from 'prom-client';
import { readForScrapes } from '../../../platform/database/metrics.ts';
import type { MetricDeps } from '../../../platform/features/index.ts';
import { type SpoolSums, sumSpools } from './spool-store.ts';

const READ_EVERY_MS = 5000;

const GAUGES: Readonly<Record<string, { readonly help: string; readonly read: (sums: SpoolSums) => number }>> = {
  batches: { help: 'Batches of requests that wait on the disks of hosts', read: ({ batches }) => batches },
  bytes: { help: 'Bytes of these batches', read: ({ bytes }) => bytes },
  oldest_seconds: { help: 'How long the oldest of them has waited', read: ({ oldestS }) => oldestS },
  dropped_batches: {
    help: 'Batches that hosts have dropped since their agents started',
    read: ({ dropped }) => dropped,
  },
};

/** Sums over all hosts, whose number has no bound. */
export function measureSpools({ db, metrics }: MetricDeps): void {
  const read = readForScrapes(() => sumSpools(db), { everyMs: READ_EVERY_MS, now: () => new Date() });
  for (const [name, { help, read: of }] of Object.entries(GAUGES)) {
    new Gauge({
      name: `flotilla_collector_spooled_${name}`,
      help,
      registers: [metrics],
      async collect() {
        const sums = await read();
        this.set(sums === undefined ? Number.NaN : of(sums));
      },
    });
  }
}
