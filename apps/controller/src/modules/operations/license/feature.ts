import { defineFeature } from '../../../platform/features/index.ts';
import { createLicenseRoutes } from './routes.ts';

export const licenseFeature = defineFeature({ name: 'operations/license', routes: createLicenseRoutes });
