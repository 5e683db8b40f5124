import { isIPv6 } from 'node:net';
import { CLIENT_ADDRESS } from '@flotilla/translate';

interface Published {
  readonly host: string;
  readonly path: string;
  readonly listener: { readonly address: string; readonly port: number; readonly tls: boolean };
  /** The client's addresses for the service, and its host name, which its agent reports. */
  readonly addresses: readonly string[];
  readonly hostname: string;
}

const WILDCARDS: readonly string[] = ['0.0.0.0', '::', CLIENT_ADDRESS];
const HOSTNAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i;

/** The URL of a published host, and a command line that asks for it at one client, whatever DNS says. */
export function describeAccess(published: Published): { url: string; curl: string } {
  const { host, path, listener } = published;
  const target = findTarget(published);
  const shown = host === '*' ? (target ?? 'localhost') : host.replace(/^\*/, 'www');
  const isDefault = listener.port === (listener.tls ? 443 : 80);
  const url = `${listener.tls ? 'https' : 'http'}://${shown}${isDefault ? '' : `:${listener.port}`}${path}`;
  const connect = target === undefined || target === shown ? '' : ` --connect-to '::${target}:'`;
  return { url, curl: `curl -i${connect} ${/^[\w./:~-]+$/.test(url) ? url : `'${url}'`}` };
}

/** Where to connect: an address of the listener, one of the client, or its name if that is safe in a command line. */
function findTarget({ listener, addresses, hostname }: Published): string | undefined {
  const own = WILDCARDS.includes(listener.address) ? addresses[0] : listener.address;
  if (own !== undefined) return isIPv6(own) ? `[${own}]` : own;
  return HOSTNAME.test(hostname) ? hostname : undefined;
}
