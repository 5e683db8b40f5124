import { failHa } from '@flotilla/contract';
import type { FeatureOff } from '../../../platform/http/unserved.ts';

const PAIR = '/api/v3/ha/pairs/:pair_id';

/**
 * The specified routes of HA pairs. They answer 503 with the specified message until this controller supports pairs.
 */
export const HA_OFF: FeatureOff = {
  routes: [
    { method: 'GET', path: '/api/v3/ha/pairs' },
    { method: 'POST', path: '/api/v3/ha/pairs' },
    { method: 'GET', path: '/api/v3/ha/pairs/eligible' },
    { method: 'GET', path: PAIR },
    { method: 'PUT', path: PAIR },
    { method: 'DELETE', path: PAIR },
    { method: 'POST', path: `${PAIR}/members` },
    { method: 'POST', path: `${PAIR}/failover` },
    { method: 'POST', path: `${PAIR}/maintenance` },
    { method: 'POST', path: `${PAIR}/push` },
    { method: 'POST', path: `${PAIR}/sync` },
    { method: 'GET', path: `${PAIR}/services` },
  ],
  describe: () => failHa('ha.unavailable'),
};
