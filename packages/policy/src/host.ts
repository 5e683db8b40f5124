import { isIPv6 } from 'node:net';

/**
 * The canonical form of a request's authority: text after the last `@`, without port and IPv6 brackets (addresses in
 * their shortest form, RFC 5952), in lowercase, one trailing dot removed. Works on any text.
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
    // Two colons without brackets: an IPv6 address, which cannot have a port.
    if (host.indexOf(':', colon + 1) !== -1) return canonicalIpv6(host);
    host = host.slice(0, colon);
  }
  if (host.endsWith('.')) host = host.slice(0, -1);
  return host.toLowerCase();
}

/** Dotted decimal, which every program reads alike. Some programs also accept other numeric forms (0x7f.1, 2130706433). */
const IPV4_AND_PORT = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!:|$)|(?=:|$))){4}(?::\d*)?$/;
const IPV6_AND_PORT = /^\[[0-9a-f:.]+\](?::\d*)?$/i;

/** True for a name with at most one trailing dot and a port, or an address: all programs read these alike. */
function isOrdinary(authority: string): boolean {
  let labelStart = 0;
  let at = 0;
  for (; at < authority.length; at++) {
    const code = authority.charCodeAt(at);
    if (code === DOT) {
      if (at === labelStart) return false;
      if (at + 1 < authority.length && authority.charCodeAt(at + 1) !== COLON) labelStart = at + 1;
    } else if (!isNameCharacter(code)) break;
  }
  const last = authority.charCodeAt(labelStart);
  if (at === 0 || (last >= 48 && last <= 57)) return IPV4_AND_PORT.test(authority) || IPV6_AND_PORT.test(authority);
  if (at === authority.length) return true;
  if (authority.charCodeAt(at) !== COLON) return false;
  for (at += 1; at < authority.length; at++) {
    const code = authority.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

const DOT = 46;
const COLON = 58;

function isNameCharacter(code: number): boolean {
  const letter = code | 32;
  return (letter >= 97 && letter <= 122) || (code >= 48 && code <= 57) || code === 45 || code === 95;
}

/**
 * Every host that some program may read from a malformed authority, the canonical one first; undefined for an ordinary
 * one, which has a single reading. Envoy forwards malformed ones and joins several Host lines by commas (observed in
 * 1.36 and 1.39); upstreams differ on which part they use. RFC 9112 section 3.2 requires rejecting them.
 */
export function readHosts(authority: string): readonly string[] | undefined {
  if (isOrdinary(authority)) return undefined;
  const readings = new Set([canonicalHost(authority)]);
  const text = authority.trim().toLowerCase();
  const lines = text.split(/[\s,]+/);
  for (const line of [text, lines[0] ?? '', lines.at(-1) ?? '']) {
    for (const part of [line, line.slice(line.lastIndexOf('@') + 1), line.split('@')[0] ?? '']) {
      const beforePort = part.slice(0, Math.max(0, part.lastIndexOf(':')));
      const beforePath = part.split(/[/\\?#]/)[0] ?? '';
      for (const host of [part, part.split(':')[0] ?? '', beforePort, beforePath]) {
        readings.add(canonicalHost(host));
        readings.add(cutTrailingDots(host));
        readings.add(readUrlHost(host));
      }
    }
  }
  readings.delete('');
  return readings.size === 0 ? undefined : [...readings];
}

/** As the URL standard reads it: escapes decoded, IPv4 in canonical form, international names as xn--. */
function readUrlHost(host: string): string {
  const name = URL.parse(`http://${host}/`)?.hostname.replace(/^\[|\]$/g, '') ?? '';
  return cutTrailingDots(name);
}

/** A loop, because a regular expression tries every run of dots, and a host of 60 KiB of them takes minutes. */
function cutTrailingDots(host: string): string {
  let end = host.length;
  while (end > 0 && host.charCodeAt(end - 1) === DOT) end -= 1;
  return host.slice(0, end);
}

/** Shortest lowercase form of an IPv6 address without its zone; other text is only lowercased. */
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
 * Parses an entry of `hosts`: a host name, an IP address, `*.suffix` (one or more labels before the suffix, never the
 * bare suffix) or `*`. Returns an error as text.
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
