import ipaddr from 'ipaddr.js';

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const UUID = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
const IP_BYTES: Readonly<Record<string, readonly number[]>> = { ip: [4, 16], ipv4: [4], ipv6: [16] };

/** Checks the named formats of protoc-gen-validate. Bytes can only be IP addresses, which have a known length. */
export function isFormat(format: string, type: 'string' | 'bytes', value: string): boolean {
  if (type === 'bytes') return IP_BYTES[format]?.includes(value.length) ?? true;
  switch (format) {
    case 'ip':
      return isIp(value);
    case 'ipv4':
      return isIpv4(value);
    case 'ipv6':
      return ipaddr.IPv6.isValid(value);
    case 'hostname':
      return isHostname(value);
    case 'address':
      return isIp(value) || isHostname(value);
    case 'uri':
      return URL.canParse(value);
    case 'uri_ref':
      return URL.canParse(value, 'http://example.com/');
    case 'uuid':
      return UUID.test(value);
    case 'email': {
      const at = value.lastIndexOf('@');
      return at > 0 && at <= 64 && value.length <= 254 && !/\s/.test(value) && isHostname(value.slice(at + 1));
    }
    default:
      return true;
  }
}

/** Checks a name by RFC 1034 section 3.5. An absolute name may end with a dot. */
function isHostname(value: string): boolean {
  const name = value.endsWith('.') ? value.slice(0, -1) : value;
  return name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
}

function isIp(value: string): boolean {
  return isIpv4(value) || ipaddr.IPv6.isValid(value);
}

function isIpv4(value: string): boolean {
  return ipaddr.IPv4.isValidFourPartDecimal(value);
}

const WORDS: Readonly<Record<string, string>> = {
  HTTP_HEADER_NAME: 'a header name',
  HTTP_HEADER_VALUE: 'a header value',
  uri: 'a URI',
  uri_ref: 'a URI or a path',
  hostname: 'a host name',
  ip: 'an IP address',
  ipv4: 'an IPv4 address',
  ipv6: 'an IPv6 address',
  address: 'a host name or an IP address',
  email: 'an e-mail address',
  uuid: 'a UUID',
};

export function describeFormat(format: string): string {
  return Object.hasOwn(WORDS, format) ? String(WORDS[format]) : `a valid ${format}`;
}
