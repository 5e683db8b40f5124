import ipaddr from 'ipaddr.js';

const IPV6_SITE_BITS = 64;

/** Whose address it is, as far as throttling goes: IPv4 as it is, of IPv6 the /64, which one host has all of. */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (address.kind() === 'ipv4') return address.toString();
  return ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${IPV6_SITE_BITS}`).toString();
}
