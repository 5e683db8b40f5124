import { isIPv6 } from 'node:net';

/**
 * The canonical form of a request's authority: text after the last `@`, port stripped, IPv6 brackets removed (and the
 * address in its shortest spelling, RFC 5952), lowercased, one trailing dot removed. Total: any text gives a text.
 */
export function canonicalHost(authority: string): string {
  let host = authority.trim();
  const at = host.lastIndexOf('@');
  if (at !== -1) host = host.slice(at + 1);
  if (host.startsWith('[')) {
    const close = host.indexOf(']');
    return canonicalIpv6(close === -1 ? host.slice(1) : host.slice(1, close));
  }
  const colon = host.indexOf(':');
  if (colon !== -1) {
    // Two colons without brackets: an IPv6 address, which has no room for a port.
    if (host.indexOf(':', colon + 1) !== -1) return canonicalIpv6(host);
    host = host.slice(0, colon);
  }
  if (host.endsWith('.')) host = host.slice(0, -1);
  return host.toLowerCase();
}

/** Shortest lowercase spelling of an IPv6 address without its zone; text that is no address comes back lowercased. */
export function canonicalIpv6(text: string): string {
  const zone = text.indexOf('%');
  const address = zone === -1 ? text : text.slice(0, zone);
  if (!isIPv6(address)) return text.toLowerCase();
  return new URL(`http://[${address}]/`).hostname.slice(1, -1);
}

export type HostPattern =
  | { readonly kind: 'exact'; readonly host: string }
  | { readonly kind: 'suffix'; readonly suffix: string }
  | { readonly kind: 'any' };

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/;

/**
 * Parses one entry of `hosts`: a host name, an IP address, `*.suffix` (one or more labels before the suffix, never the
 * bare suffix) or `*`. Returns what is wrong as a text.
 */
export function parseHostPattern(entry: string): HostPattern | string {
  if (entry === '*') return { kind: 'any' };
  if (/^\[?[0-9a-fA-F:.]*:[0-9a-fA-F:.]*\]?$/.test(entry)) {
    const address = entry.replace(/^\[|\]$/g, '');
    if (isIPv6(address)) return { kind: 'exact', host: canonicalIpv6(address) };
  }
  if (entry.includes('://') || entry.includes('/')) return 'must be a host name, without scheme or path';
  if (entry.includes(':')) return 'must be a host name without a port: the port of a request is not looked at';
  const wildcard = entry.startsWith('*.');
  const name = (wildcard ? entry.slice(2) : entry).toLowerCase().replace(/\.$/, '');
  if (name.includes('*')) return 'may hold a star only as "*" or as the whole first label ("*.example.com")';
  if (!HOST_NAME.test(name)) {
    return 'is not a host name (letters, digits, "-" and "_" in labels; international names in their xn-- form)';
  }
  return wildcard ? { kind: 'suffix', suffix: `.${name}` } : { kind: 'exact', host: name };
}

/** One text per pattern, for uniqueness checks and keys. */
export function formatHostPattern(pattern: HostPattern): string {
  switch (pattern.kind) {
    case 'any':
      return '*';
    case 'suffix':
      return `*${pattern.suffix}`;
    case 'exact':
      return pattern.host;
  }
}
