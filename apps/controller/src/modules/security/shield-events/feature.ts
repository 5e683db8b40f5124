import { defineFeature } from '../../../platform/features/index.ts';
import { migration } from './migration.ts';
import { forgetOldEvents } from './prune-store.ts';
import { createShieldEventRoutes } from './routes.ts';
import './tables.ts';

export const shieldEventsFeature = defineFeature({
  name: 'security/shield-events',
  after: ['fleet/clients'],
  migrations: { '0036-shield-events': migration },
  routes: createShieldEventRoutes,
  tables: {
    shield_events: { scope: 'policies', backup: true },
    shield_event_drops: { scope: 'policies', backup: true },
    shield_event_marks: { scope: 'policies', backup: true },
  },
  tidy: { events: forgetOldEvents },
});
