/** Texts of one endpoint as a person writes them. */
export interface AddressText {
  readonly host: string;
  readonly port: string;
  readonly weight: string;
}

const BRACKETS = /^(\[[^\]]*\])(?::([^:]*)(?::([^:]*))?)?$/;
const PLAIN = /^([^:[\]]+):([^:]*)(?::([^:]*))?$/;
/** A longer paste is refused as a whole. */
export const PASTED_LINES_MAX = 5000;

/** Parses `host:port:weight`, with an IPv6 host in brackets. Text of another form becomes the host, so that nothing is lost. */
export function parseAddressLine(line: string): AddressText {
  const text = line.trim();
  const [, host = text, port = '', weight = ''] = BRACKETS.exec(text) ?? PLAIN.exec(text) ?? [];
  return { host: host.trim(), port: port.trim(), weight: weight.trim() };
}

/** Parses one endpoint for each line that is not empty. */
export function parseAddressLines(text: string): AddressText[] {
  return text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .map(parseAddressLine);
}

/** Whether pasted text is more than a host. A bare IPv6 address is a host. */
export function isAddressList(text: string): boolean {
  const rows = parseAddressLines(text);
  return rows.length > 1 || rows.some(({ port }) => port !== '');
}

/** Writes an IPv6 address in brackets, as in URLs. Envoy's document has none. */
export function toHostText(address: string): string {
  return isIpv6Like(address) ? `[${address}]` : address;
}

export function fromHostText(text: string): string {
  const inner = /^\[([^[\]]*)\]$/.exec(text)?.[1];
  return inner !== undefined && isIpv6Like(inner) ? inner : text;
}

function isIpv6Like(address: string): boolean {
  return address.includes(':') && /^[^[\]\s]+$/.test(address);
}
