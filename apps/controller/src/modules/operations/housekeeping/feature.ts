import { defineFeature } from '../../../platform/features/index.ts';

export const housekeepingFeature = defineFeature({
  name: 'operations/housekeeping',
  jobs: [{ type: 'system.tidy', schedule: { name: 'tidy', cron: '*/10 * * * *' } }],
});
