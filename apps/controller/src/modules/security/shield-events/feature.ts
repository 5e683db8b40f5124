import { defineFeature } from '../../../platform/features/index.ts';
import { forgetOldEvents } from './prune-store.ts';

export const shieldEventsFeature = defineFeature({
  name: 'security/shield-events',
  tables: {
    shield_events: { scope: 'policies', backup: true },
    shield_event_drops: { scope: 'policies', backup: true },
    shield_event_marks: { scope: 'policies', backup: true },
  },
  tidy: { events: forgetOldEvents },
});
