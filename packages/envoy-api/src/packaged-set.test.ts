import { describe } from 'vitest';
import { loadEnvoyApi } from './load.ts';
import { describeConstraints } from './testing/constraint.suite.ts';
import { describeRoundTrips } from './testing/round-trip.suite.ts';

describe('the packaged set', () => {
  const load = () => loadEnvoyApi({ version: '1.39.3' });
  describeRoundTrips(load, 1_200);
  describeConstraints(load, 850);
});
