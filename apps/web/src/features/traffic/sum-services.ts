import type { TrafficService } from '@flotilla/contract';
import type { Stats } from './figures-row.tsx';

type Field = 'requests_per_s' | 'errors_per_s' | 'connections' | 'endpoints' | 'endpoints_healthy';

/**
 * Adds up services. Quantiles cannot be added: the largest one of the services with requests is an upper bound.
 * A value is null if no service has it.
 */
export function sumServices(services: readonly TrafficService[]): Stats {
  const known = (field: Field | 'p95_ms') => services.flatMap((one) => one[field] ?? []);
  const sum = (field: Field) => {
    const values = known(field);
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0);
  };
  const requests = sum('requests_per_s');
  const errors = sum('errors_per_s');
  const latencies = known('p95_ms');
  return {
    requests_per_s: requests,
    errors_per_s: errors,
    error_share: requests && errors !== null ? Math.min(1, errors / requests) : null,
    p95_ms: latencies.length === 0 ? null : Math.max(...latencies),
    connections: sum('connections'),
    endpoints: sum('endpoints'),
    endpoints_healthy: sum('endpoints_healthy'),
  };
}
