import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { forgetOldSeries } from './prune-store.ts';
import { createMetricsRoutes } from './routes.ts';
import './tables.ts';

export const metricsFeature = defineFeature({
  name: 'fleet/metrics',
  after: ['fleet/clients'],
  migrations: { '0014-metrics': migration },
  routes: ({ keyring }) => createMetricsRoutes(keyring),
  tables: {
    client_samples: { scope: 'policies', backup: { none: 'they are measurements of the last days' } },
    shield_counts: { scope: 'policies', backup: true },
    shield_reports: { scope: 'policies', backup: true },
    shield_count_faults: { scope: 'policies', backup: true },
    shield_marks: { scope: 'policies', backup: true },
  },
  tidy: { series: forgetOldSeries },
});
