import { defineFeature } from '../../../platform/features/index.ts';

export const keysFeature = defineFeature({
  name: 'operations/keys',
  jobs: [{ type: 'keys.reseal' }],
});
