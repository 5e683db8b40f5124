const PART = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${PART}(?:\\.${PART}){3}$`);

/** Whether it is an IPv4 address, or an IPv6 address in brackets. */
export function isIpAddress(host: string): boolean {
  return IPV4.test(host) || isIpv6(host);
}

/** The URL parser knows all spellings of IPv6. */
function isIpv6(host: string): boolean {
  return /^\[[0-9a-fA-F:.]+\]$/.test(host) && URL.canParse(`http://${host}`);
}
