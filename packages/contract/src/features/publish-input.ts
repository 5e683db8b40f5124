/** A text as the publisher reads it, or what is wrong with it. */
export type Parsed<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly message: string };

export interface UpstreamTarget {
  /** A host name in ASCII, an IP address without brackets, or the path of a Unix socket. */
  readonly address: string;
  /** undefined for a Unix socket. */
  readonly port: number | undefined;
}

export interface UpstreamUrl extends UpstreamTarget {
  readonly tls: boolean;
}

const HOST_MAX_CHARS = 253;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const IPV4 = /^\d{1,3}(?:\.\d{1,3}){3}$/;

/**
 * A host of requests: a name, `*.` and a name, an IP address, or `*`. Converts to lower case and ASCII, and writes an IPv6
 * address in brackets, as it is in the Host header.
 */
export function parsePublishedHost(text: string): Parsed<string> {
  const given = text.trim();
  if (given === '*') return { ok: true, value: '*' };
  const isWildcard = given.startsWith('*.');
  const host = toAsciiHost(isWildcard ? given.slice(2) : given);
  if (!host.ok || !isWildcard) return host;
  const isAddress = host.value.startsWith('[') || IPV4.test(host.value);
  return isAddress ? refuse('has a wildcard before an address') : { ok: true, value: `*.${host.value}` };
}

/** A path prefix: `/` or `/api`, without a slash at the end. */
export function parsePublishedPath(text: string): Parsed<string> {
  const given = text.trim();
  if (!given.startsWith('/')) return refuse('starts with a slash, such as /api');
  const path = given.replace(/(?<=[^/])\/$/, '');
  if (path.length > 1024) return refuse('has at most 1,024 characters');
  if (/[?#]/.test(path)) return refuse('has neither a query nor a fragment');
  if (!/^(?:\/|(?:\/[A-Za-z0-9._~!$&()*+,;=:@-]+)+)$/.test(path))
    return refuse('consists of letters, digits and -._~!$&()*+,;=:@ between single slashes');
  if (path.split('/').some((segment) => segment === '.' || segment === '..')) return refuse('has no dot segments');
  return { ok: true, value: path };
}

/** The address and port of an upstream. A Unix socket is `unix:/path`. */
export function parseUpstreamTarget(given: {
  readonly address: string;
  readonly port?: number | undefined;
}): Parsed<UpstreamTarget> {
  const address = given.address.trim();
  const socket = /^(?:unix:(?:\/\/)?)?(\/.*|@.*)$/.exec(address)?.[1];
  if (socket !== undefined) {
    if (given.port !== undefined) return refuse('is a Unix socket, which has no port');
    return socket.length > 100
      ? refuse('is a path of at most 100 characters')
      : { ok: true, value: { address: socket, port: undefined } };
  }
  if (address.startsWith('unix:')) return refuse('needs an absolute path, such as unix:/run/app.sock');
  const host = toAsciiHost(address);
  if (!host.ok) return host;
  if (given.port === undefined) return refuse('needs a port');
  return { ok: true, value: { address: host.value.replace(/^\[(.*)\]$/, '$1'), port: given.port } };
}

const URL_FORM = /^(?:(https?):\/\/)?(\[[^\]]*\]|[^:/?#@[\]]*)(?::(\d{0,5}))?(.*)$/i;

/** An upstream as people write it: `http://127.0.0.1:9000`, `app.example.com:8080`, `[::1]:9000`, `unix:/run/app.sock`. */
export function parseUpstreamUrl(text: string): Parsed<UpstreamUrl> {
  const given = text.trim();
  if (/^(?:unix:|\/|@)/.test(given)) {
    const socket = parseUpstreamTarget({ address: given });
    return socket.ok ? { ok: true, value: { ...socket.value, tls: false } } : socket;
  }
  const [, scheme = '', address = '', digits = '', rest = ''] = URL_FORM.exec(given) ?? [];
  if (address === '') return refuse('is not an address such as http://127.0.0.1:9000');
  if (rest.includes('@')) return refuse('has no user and password');
  if (rest !== '' && rest !== '/') return refuse('has no path; publish a path prefix of the requests instead');
  const tls = scheme.toLowerCase() === 'https';
  if (digits === '' && scheme === '') return refuse('needs a port');
  const port = digits === '' ? (tls ? 443 : 80) : Number(digits);
  if (port < 1 || port > 65_535) return refuse('needs a port from 1 to 65535');
  const target = parseUpstreamTarget({ address, port });
  return target.ok ? { ok: true, value: { ...target.value, tls } } : target;
}

function toAsciiHost(text: string): Parsed<string> {
  if (text === '') return refuse('is empty');
  if (text.length > 4 * HOST_MAX_CHARS || /[\s/?#@\\%*<>^|'"`]/.test(text) || /\p{Cc}/u.test(text))
    return refuse('is not a host name');
  const isBare = text.split(':').length > 2 && !text.startsWith('[');
  if (!isBare && /:\d*$/.test(text.replace(/^\[.*\]/, ''))) return refuse('has a port, which is not part of the name');
  const url = URL.parse(`http://${isBare ? `[${text}]` : text}/`);
  const host = url?.hostname.replace(/\.$/, '') ?? '';
  if (host.startsWith('[')) return { ok: true, value: host };
  const isName = host !== '' && host.length <= HOST_MAX_CHARS && host.split('.').every((label) => LABEL.test(label));
  return isName ? { ok: true, value: host } : refuse('is not a host name');
}

function refuse(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
