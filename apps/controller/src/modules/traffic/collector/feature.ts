import { defineFeature } from '../../../platform/features/index.ts';
import { forgetOldDetectors } from './detector-store.ts';
import { detectorsMigration } from './detectors-migration.ts';
import { collectorKeyContext } from './encryption-context.ts';
import { forgetRetiredKeys } from './key-store.ts';
import { forgetOldLearners } from './learner-store.ts';
import { migration } from './migration.ts';
import { measureSpools } from './spool-metrics.ts';
import './tables.ts';

export const collectorFeature = defineFeature({
  name: 'traffic/collector',
  after: ['platform/keyring', 'configuration/projects'],
  migrations: { '0057-collector': migration, '0069-collector-detectors': detectorsMigration },
  tables: {
    collector_keys: {
      scope: 'policies',
      backup: { isSecret: true },
      encrypted: [
        {
          column: 'sealed_key',
          kind: 'bytes',
          primaryKey: ['id'],
          context: (row) => collectorKeyContext(String(row.id)),
        },
      ],
    },
    collector_learners: { scope: 'policies', backup: { none: 'it is learned again from the traffic' } },
    collector_detectors: { scope: 'policies', backup: { none: 'it is learned again from the traffic' } },
  },
  measure: measureSpools,
  tidy: {
    collector_keys: forgetRetiredKeys,
    collector_learners: forgetOldLearners,
    collector_detectors: forgetOldDetectors,
  },
});
