import { defineFeature } from '../features/index.ts';

export const eventsFeature = defineFeature({
  name: 'platform/events',
  tables: {
    outbox: {
      scope: { open: 'it carries news for every part of every controller; each row names its project' },
      backup: { none: 'it carries news for controllers that are running' },
    },
  },
});
