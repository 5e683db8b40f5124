import type { TrafficService } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { sumServices } from './sum-services.ts';

const service = (change: Partial<TrafficService>): TrafficService => ({
  service_id: 's',
  service_name: 's',
  nodes: 1,
  reporting: 1,
  reported_at: null,
  requests_per_s: null,
  errors_per_s: null,
  error_share: null,
  p50_ms: null,
  p95_ms: null,
  p99_ms: null,
  connections: null,
  endpoints: null,
  endpoints_healthy: null,
  sparkline: [],
  errors_sparkline: [],
  names: [],
  names_omitted: 0,
  ...change,
});

it('unknown is not zero', () => {
  expect(sumServices([service({})])).toMatchObject({ requests_per_s: null, error_share: null, p95_ms: null });
  expect(sumServices([])).toMatchObject({ requests_per_s: null, connections: null });
});

it('the error share is weighted by requests, and the latency is the largest', () => {
  const busy = service({ requests_per_s: 90, errors_per_s: 0, p95_ms: 5 });
  const failing = service({ requests_per_s: 10, errors_per_s: 10, p95_ms: 80, endpoints: 2, endpoints_healthy: 1 });
  expect(sumServices([busy, failing, service({})])).toEqual({
    requests_per_s: 100,
    errors_per_s: 10,
    error_share: 0.1,
    p95_ms: 80,
    connections: null,
    endpoints: 2,
    endpoints_healthy: 1,
  });
});
