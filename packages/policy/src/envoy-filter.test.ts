import { describe, expect, it } from 'vitest';
import { type ShieldAddress, shieldClusterConfig, shieldThreadAddresses } from './envoy-filter.ts';

const SOCKET: ShieldAddress = { kind: 'unix', path: '/run/s.sock' };

describe('the addresses of a filter with threads', () => {
  it('are the socket and numbered neighbours, or consecutive ports', () => {
    expect(shieldThreadAddresses(SOCKET, 3)).toEqual([
      SOCKET,
      { kind: 'unix', path: '/run/s.sock.1' },
      { kind: 'unix', path: '/run/s.sock.2' },
    ]);
    expect(shieldThreadAddresses({ kind: 'tcp', host: '::1', port: 9000 }, 2)).toEqual([
      { kind: 'tcp', host: '::1', port: 9000 },
      { kind: 'tcp', host: '::1', port: 9001 },
    ]);
  });
});

describe('the cluster of the filter', () => {
  it('has one endpoint per thread', () => {
    const cluster = shieldClusterConfig(shieldThreadAddresses(SOCKET, 2));
    expect(cluster).toMatchObject({
      load_assignment: {
        endpoints: [
          {
            lb_endpoints: [
              { endpoint: { address: { pipe: { path: '/run/s.sock' } } } },
              { endpoint: { address: { pipe: { path: '/run/s.sock.1' } } } },
            ],
          },
        ],
      },
    });
  });

  it('has health checks only if there are several threads', () => {
    expect(shieldClusterConfig([SOCKET])).not.toHaveProperty('health_checks');
    expect(shieldClusterConfig(shieldThreadAddresses(SOCKET, 2))).toHaveProperty('health_checks');
  });
});
