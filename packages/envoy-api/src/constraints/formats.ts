import { isIP, isIPv4, isIPv6 } from 'node:net';

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
const UUID = /^[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$/;
const IP_BYTES: Readonly<Record<string, readonly number[]>> = { ip: [4, 16], ipv4: [4], ipv6: [16] };

/** The named formats of protoc-gen-validate. Bytes can only be IP addresses, told by their length. */
export function isFormat(format: string, type: 'string' | 'bytes', value: string): boolean {
  if (type === 'bytes') return IP_BYTES[format]?.includes(value.length) ?? true;
  switch (format) {
    case 'ip':
      return isIP(value) !== 0;
    case 'ipv4':
      return isIPv4(value);
    case 'ipv6':
      return isIPv6(value);
    case 'hostname':
      return isHostname(value);
    case 'address':
      return isIP(value) !== 0 || isHostname(value);
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

/** RFC 1034 section 3.5; a trailing dot is part of an absolute name. */
function isHostname(value: string): boolean {
  const name = value.endsWith('.') ? value.slice(0, -1) : value;
  return name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
}
