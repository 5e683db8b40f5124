import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { isKnownHost } from './known-hosts.ts';

const named = (publicUrl: string | undefined, ...allowed: string[]) => ({ allowed, findPublicUrl: () => publicUrl });
const fleet = named('https://fleet.example.com');

describe('the known hosts of a controller (attack 15)', () => {
  it.each(['fleet.example.com', 'FLEET.example.com:8443', 'fleet.example.com.', hostname()])(
    'include its own name: %s',
    (host) => expect(isKnownHost(host, fleet)).toBe(true),
  );

  it.each([
    'localhost',
    'localhost:8099',
    'app.localhost',
    '127.0.0.1:8099',
    '192.0.2.7',
    '[::1]:8099',
    'controller-1',
  ])('include names that nobody outside can register: %s', (host) => expect(isKnownHost(host, fleet)).toBe(true));

  it.each([
    'rebound.example.net',
    'rebound.example.net:8099',
    'evil.fleet.example.com',
    'fleet.example.com.example.net',
    '127.0.0.1.example.net',
    'localhost.example.net',
    'fleet.example.com@example.net',
    'example.net/fleet.example.com',
    'example.net#.localhost',
    'xn--80ak6aa92e.com',
    '',
  ])('do not include another name: "%s"', (host) => expect(isKnownHost(host, fleet)).toBe(false));

  it('include additional names one by one, or every subdomain', () => {
    const names = named(undefined, 'metrics.example.org', '*.svc.cluster.local');
    for (const host of ['metrics.example.org:8099', 'flotilla.ops.svc.cluster.local'])
      expect(isKnownHost(host, names), host).toBe(true);
    for (const host of ['other.example.org', 'svc.cluster.local.example.net', 'evilsvc.cluster.local'])
      expect(isKnownHost(host, names), host).toBe(false);
  });

  it('are unlimited if no name is configured, and for a request without Host', () => {
    expect(isKnownHost('rebound.example.net', named(undefined))).toBe(true);
    expect(isKnownHost(undefined, fleet)).toBe(true);
  });
});
