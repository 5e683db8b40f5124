import { failHa, haRoutes } from '@flotilla/contract';
import type { FeatureOff } from '../../../platform/http/unserved.ts';

/** On a controller without SVC_JWT_SECRET, every route of pairs answers 503, whatever the request says. */
export const HA_OFF: FeatureOff = {
  routes: Object.values(haRoutes),
  describe: () => failHa('ha.unavailable'),
};
