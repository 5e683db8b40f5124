import { domainToASCII } from 'node:url';

/** The host of requests whose authority no client may send: empty, with a wildcard, too long, or not a name. */
export const INVALID_HOST = '{invalid}';

const HOST_CHARACTERS_MAX = 253;
/** Room for user information and a port. */
const AUTHORITY_CHARACTERS_MAX = 1024;
const NAME = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;
const IPV6 = /^\[[0-9a-f:.]+\]$/;
const DEFAULT_PORT = /^(?:80|443)$/;
/** Characters that end the host of a URL, or that URLs decode. */
const FOREIGN = /[/\\?#%]/;
/** The URL standard reads a name that ends so as an IPv4 address. */
const NUMERIC_END = /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/;
const PORT = /^[0-9]{1,5}$/;
const PORT_MAX = 65_535;

/**
 * Lowercase, without user information, trailing dot and the ports 80 and 443; other ports stay. International names are in their xn-- form, and
 * numeric forms of IPv4 addresses in dotted decimal.
 */
export function normalizeHost(authority: string): string {
  if (authority.length === 0 || authority.length > AUTHORITY_CHARACTERS_MAX) return INVALID_HOST;
  const text = authority.slice(authority.lastIndexOf('@') + 1).toLowerCase();
  const colon = portColon(text);
  const port = colon === -1 ? '' : text.slice(colon + 1);
  const name = readName(colon === -1 ? text : text.slice(0, colon));
  if (name === undefined || name.length > HOST_CHARACTERS_MAX) return INVALID_HOST;
  if (port === '' || DEFAULT_PORT.test(port)) return name;
  return PORT.test(port) && Number(port) <= PORT_MAX ? `${name}:${Number(port)}` : INVALID_HOST;
}

/** An IPv6 address without brackets has colons and no port. */
function portColon(text: string): number {
  const colon = text.lastIndexOf(':');
  if (colon === -1 || text.lastIndexOf(']') > colon) return -1;
  return text.indexOf(':') === colon || text[colon - 1] === ']' ? colon : -1;
}

function readName(text: string): string | undefined {
  const bare = text.endsWith('.') ? text.slice(0, -1) : text;
  if (FOREIGN.test(bare)) return undefined;
  if (NAME.test(bare) && !NUMERIC_END.test(bare) && !bare.includes('xn--')) return bare;
  if (bare.includes(':')) {
    const url = URL.parse(`http://${bare.startsWith('[') ? bare : `[${bare}]`}/`);
    return url !== null && IPV6.test(url.hostname) ? url.hostname : undefined;
  }
  const ascii = domainToASCII(bare);
  return NAME.test(ascii) ? ascii : undefined;
}
