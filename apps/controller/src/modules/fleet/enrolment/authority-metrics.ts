import { Gauge, type Registry } from 'prom-client';

export function measureAuthority(metrics: Registry, endsAt: Date): void {
  new Gauge({
    name: 'flotilla_authority_end_timestamp_seconds',
    help: 'When the authority that vouches for clients ends',
    registers: [metrics],
  }).set(endsAt.getTime() / 1000);
}
