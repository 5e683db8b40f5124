import { TRAFFIC_SCOPES, TRAFFIC_VALUES } from '@flotilla/contract';
import { fleet, TRAFFIC_METRICS } from '@flotilla/proto';
import { expect, it } from 'vitest';
import { FIRST_BUCKET, findColumn, LATENCY_SUM_US, SCOPE_IDS } from './columns.ts';
import { BUCKETS } from './histogram.ts';

it('the contract has every metric and scope of the wire', () => {
  expect(TRAFFIC_VALUES).toEqual(Object.keys(TRAFFIC_METRICS));
  expect(Object.keys(SCOPE_IDS).toSorted()).toEqual([...TRAFFIC_SCOPES].toSorted());
  const wire = Object.entries(fleet.TrafficScope).filter(([, id]) => typeof id === 'number' && id > 0);
  expect(Object.fromEntries(wire.map(([name, id]) => [name.toLowerCase(), id]))).toEqual(SCOPE_IDS);
});

it('columns of the latency do not collide with metrics', () => {
  const largest = Math.max(...Object.values(TRAFFIC_METRICS).map(({ id }) => id));
  expect(largest).toBeLessThan(LATENCY_SUM_US);
  expect(findColumn(FIRST_BUCKET + BUCKETS - 1)).toEqual({ kind: 'counter', across: 'sum' });
  expect(findColumn(FIRST_BUCKET + BUCKETS)).toBeUndefined();
});
