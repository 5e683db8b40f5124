import { isIP } from 'node:net';
import { canonicalHost } from '@flotilla/policy';

/**
 * True for a request that a web page may have sent to a loopback port under a name of its own (DNS rebinding): whoever
 * means this host names it by address or as `localhost`.
 */
export function isRebound(hostHeader: string | undefined): boolean {
  if (hostHeader === undefined) return false;
  const host = canonicalHost(hostHeader);
  return isIP(host) === 0 && host !== 'localhost' && !host.endsWith('.localhost');
}
