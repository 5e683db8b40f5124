import { isIP } from 'node:net';
import { canonicalHost } from '@flotilla/policy';

/**
 * True for a request that a web page may have sent to a loopback port under its own name (DNS rebinding): legitimate
 * clients use an address or `localhost`.
 */
export function isRebound(hostHeader: string | undefined): boolean {
  if (hostHeader === undefined) return false;
  const host = canonicalHost(hostHeader);
  return isIP(host) === 0 && host !== 'localhost' && !host.endsWith('.localhost');
}
