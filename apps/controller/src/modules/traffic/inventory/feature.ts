import { defineFeature } from '../../../platform/features/index.ts';
import { countsMigration } from './counts-migration.ts';
import { migration } from './migration.ts';
import { orderMigration } from './order-migration.ts';
import { takeDailySnapshots } from './snapshot-store.ts';
import './tables.ts';
import { forgetOldInventory, refreshActivity } from './upkeep-store.ts';

const FROM_TRAFFIC = { none: 'the traffic of the proxies fills it again' };

export const inventoryFeature = defineFeature({
  name: 'traffic/inventory',
  after: ['configuration/projects'],
  migrations: {
    '0056-inventory': migration,
    '0066-inventory-order': orderMigration,
    '0067-inventory-counts': countsMigration,
  },
  tables: {
    inventory_projects: { scope: 'policies', backup: FROM_TRAFFIC },
    inventory_operations: { scope: 'policies', backup: FROM_TRAFFIC },
    inventory_counts: { scope: 'policies', backup: FROM_TRAFFIC },
    inventory_details: { scope: 'policies', backup: FROM_TRAFFIC },
    inventory_merges: { scope: 'policies', backup: FROM_TRAFFIC },
    inventory_marks: { scope: 'policies', backup: FROM_TRAFFIC },
    inventory_gaps: { scope: 'policies', backup: FROM_TRAFFIC },
    inventory_snapshots: { scope: 'policies', backup: FROM_TRAFFIC },
    inventory_snapshot_operations: { scope: 'policies', backup: FROM_TRAFFIC },
  },
  tidy: {
    inventory: forgetOldInventory,
    'inventory activity': refreshActivity,
    'inventory snapshots': takeDailySnapshots,
  },
});
