import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { forgetOldTraffic } from './prune-store.ts';
import { createTrafficRoutes } from './routes.ts';
import './tables.ts';

const MEASUREMENTS = { none: 'they are measurements, which a restored installation collects again' };

export const trafficSeriesFeature = defineFeature({
  name: 'traffic/series',
  after: ['fleet/services'],
  migrations: { '0038-traffic': migration },
  routes: createTrafficRoutes,
  tables: {
    traffic_intervals: { scope: 'policies', backup: MEASUREMENTS },
    traffic_blocks: { scope: 'policies', backup: MEASUREMENTS },
    traffic_minutes: { scope: 'policies', backup: MEASUREMENTS },
    traffic_nodes: { scope: 'policies', backup: MEASUREMENTS },
    traffic_marks: { scope: 'policies', backup: MEASUREMENTS },
  },
  tidy: { traffic: forgetOldTraffic },
});
