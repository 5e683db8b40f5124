import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { forgetOldResets } from './reset-store.ts';
import './tables.ts';

/** Resets of operations, for those who remember something about operations: the catalogue notes them, and collectors follow. */
export const resetsFeature = defineFeature({
  name: 'traffic/resets',
  after: ['configuration/projects'],
  migrations: { '0068-resets': migration },
  tables: {
    inventory_resets: { scope: 'policies', backup: { none: 'only collectors that already run follow it' } },
  },
  tidy: { inventory_resets: forgetOldResets },
});
