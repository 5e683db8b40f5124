import { isIPv4, isIPv6 } from 'node:net';
import { canonicalIpv6 } from '@flotilla/policy';

export interface SourceAddressFacts {
  /** All lines of `x-forwarded-for`, in order. */
  readonly forwardedFor: readonly string[];
  /** Envoy's `source.address` attribute (`ip:port`); empty if it was not sent. */
  readonly peerAddress: string;
}

/**
 * The client's address: the entry of X-Forwarded-For (all lines as one list) that is `trustedHops` entries left of the
 * right end, where Envoy has put its peer. A list with fewer entries did not come through the trusted proxies, and a
 * token that is not an address is useless: both give an empty text, never an entry further left, which a client could
 * have written. Without X-Forwarded-For and without trusted proxies, the client is the peer that Envoy reports.
 */
export function deriveSourceIp(facts: SourceAddressFacts, trustedHops: number): string {
  const { forwardedFor, peerAddress } = facts;
  if (forwardedFor.length === 0) return trustedHops === 0 ? parseAddress(peerAddress) : '';
  // Scans from the right end, so that entries that a client prepends cost nothing.
  let hopsLeft = trustedHops;
  for (let index = forwardedFor.length - 1; index >= 0; index--) {
    const line = forwardedFor[index] ?? '';
    for (let end = line.length; end !== -1; hopsLeft -= 1) {
      const comma = end === 0 ? -1 : line.lastIndexOf(',', end - 1);
      if (hopsLeft === 0) return parseAddress(line.slice(comma + 1, end));
      end = comma;
    }
  }
  return '';
}

/** The longest address has 45 characters, plus zone, brackets and port. */
const TOKEN_MAX_CHARS = 128;

/**
 * Parses `ip`, `ip:port`, `[ip]`, `[ip]:port` to canonical form: without zone, IPv4-in-IPv6 as IPv4. Empty for anything
 * else.
 */
export function parseAddress(token: string): string {
  const text = token.trim();
  if (text.length > TOKEN_MAX_CHARS) return '';
  if (isIPv4(text)) return text;
  const bracketed = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text);
  if (bracketed) return parseIpv6(bracketed[1] ?? '');
  const colon = text.indexOf(':');
  if (colon !== -1 && text.indexOf(':', colon + 1) === -1) {
    const address = text.slice(0, colon);
    return isIPv4(address) && /^\d{1,5}$/.test(text.slice(colon + 1)) ? address : '';
  }
  return parseIpv6(text);
}

function parseIpv6(text: string): string {
  if (!isIPv6(text)) return '';
  const address = canonicalIpv6(text);
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address);
  if (!mapped) return address;
  const high = Number.parseInt(mapped[1] ?? '', 16);
  const low = Number.parseInt(mapped[2] ?? '', 16);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
