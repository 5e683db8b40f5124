import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import './tables.ts';
import { forgetOldFindings } from './upkeep-store.ts';

export const findingsFeature = defineFeature({
  name: 'traffic/findings',
  after: ['configuration/projects'],
  migrations: { '0060-findings': migration },
  tables: {
    inventory_findings: { scope: 'policies', backup: true },
    inventory_finding_history: { scope: 'policies', backup: true },
    inventory_finding_passes: { scope: 'policies', backup: { none: 'the next pass compares everything again' } },
  },
  tidy: { findings: forgetOldFindings },
});
