import { defineFeature } from '../../../platform/features/index.ts';
import { createFleetRoutes } from './routes.ts';

export const fleetOverviewFeature = defineFeature({ name: 'fleet/overview', routes: createFleetRoutes });
