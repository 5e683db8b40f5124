import ipaddr from 'ipaddr.js';

const IPV6_SITE_BITS = 64;

/**
 * The unit of throttling: an IPv4 address, or the /64 of an IPv6 address, which one host owns completely. Strips a
 * port, which some proxies append and which differs for each connection.
 */
export function networkOf(ip: string): string {
  const host = withoutPort(ip);
  if (!ipaddr.isValid(host)) return ip;
  const address = ipaddr.process(host);
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${IPV6_SITE_BITS}`).toString();
}

/** `192.0.2.7:1234` and `[2001:db8::1]:1234` (RFC 7239, section 6). */
function withoutPort(ip: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(ip)?.[1] ?? /^([\d.]+):\d+$/.exec(ip)?.[1] ?? ip;
}
