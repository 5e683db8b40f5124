import { defineFeature } from '../../../platform/features/index.ts';
import { createSearchRoutes } from './routes.ts';

export const searchFeature = defineFeature({ name: 'operations/search', routes: createSearchRoutes });
