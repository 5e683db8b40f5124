import { defineFeature } from '../../../platform/features/index.ts';
import { forgetOldSeries } from './prune-store.ts';

export const metricsFeature = defineFeature({
  name: 'fleet/metrics',
  tables: {
    client_samples: { scope: 'policies', backup: { none: 'they are measurements of the last days' } },
    shield_counts: { scope: 'policies', backup: true },
    shield_reports: { scope: 'policies', backup: true },
    shield_count_faults: { scope: 'policies', backup: true },
    shield_marks: { scope: 'policies', backup: true },
  },
  tidy: { series: forgetOldSeries },
});
