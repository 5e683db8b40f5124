import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { forgetOldRewrites } from './store.ts';
import './tables.ts';

export const rewriteFeature = defineFeature({
  name: 'traffic/rewrite',
  after: ['configuration/projects', 'traffic/collector', 'traffic/inventory'],
  migrations: { '0064-inventory-rewrites': migration },
  tables: { inventory_rewrites: { scope: 'policies', backup: { none: 'it describes jobs of this installation' } } },
  jobs: [{ type: 'inventory.rewrite' }],
  tidy: { 'inventory rewrites': forgetOldRewrites },
});
