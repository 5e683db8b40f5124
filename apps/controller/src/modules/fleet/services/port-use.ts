import { isIPv4, isIPv6 } from 'node:net';
import { CLIENT_ADDRESS } from '@flotilla/translate';

/** A socket that a service opens on a client, or will open once it is deployed there. */
export interface Binding {
  readonly clientId: string;
  readonly serviceId: string;
  readonly service: string;
  /** undefined: the admin port of the service. */
  readonly listener: string | undefined;
  readonly protocol: 'TCP' | 'UDP';
  /** In its shortest spelling. */
  readonly address: string;
  readonly port: number;
  /** The IPv6 socket also accepts IPv4. */
  readonly takesIpv4: boolean;
}

/** A listener of a service on a client, as stored. */
export interface ListenerUse {
  readonly clientId: string;
  readonly serviceId: string;
  readonly service: string;
  readonly listener: string;
  /** Addresses of the service on the client. */
  readonly addresses: readonly string[];
  readonly address: unknown;
  readonly additional: unknown;
  readonly binds: boolean;
}

interface Socket {
  readonly address: string;
  readonly port: number;
  readonly protocol: 'TCP' | 'UDP';
  readonly takesIpv4: boolean;
}

/** Every socket that a stored listener opens on a client. */
export function toBindings(use: ListenerUse): Binding[] {
  if (!use.binds) return [];
  const { clientId, serviceId, service, listener } = use;
  return listSockets(use).flatMap((socket) => {
    const addresses = socket.address === CLIENT_ADDRESS ? use.addresses : [socket.address];
    return addresses.map((address) => ({
      ...socket,
      clientId,
      serviceId,
      service,
      listener,
      address: shortenAddress(address),
    }));
  });
}

/** Ports of a listener, as far as its document says them. Port 0 lets the host choose one. */
export function listPorts(use: Pick<ListenerUse, 'address' | 'additional'>): number[] {
  return [...new Set(listSockets(use).map(({ port }) => port))];
}

/** The sockets of a listener, as stored. */
export function listSockets({ address, additional }: Pick<ListenerUse, 'address' | 'additional'>): Socket[] {
  const more = Array.isArray(additional) ? additional.map((item) => memberOf(item, 'address')) : [];
  return [address, ...more].flatMap((one) => {
    const socket = memberOf(one, 'socket_address');
    const port = Number(memberOf(socket, 'port_value'));
    if (!Number.isInteger(port) || port <= 0) return [];
    return [
      {
        address: String(memberOf(socket, 'address') ?? ''),
        port,
        protocol: memberOf(socket, 'protocol') === 'UDP' ? ('UDP' as const) : ('TCP' as const),
        takesIpv4: memberOf(socket, 'ipv4_compat') === true,
      },
    ];
  });
}

/** Whether a host refuses to open both sockets. A process may open a wildcard beside an address of its own. */
export function isTaken(a: Binding, b: Binding): boolean {
  if (a.clientId !== b.clientId || a.port !== b.port || a.protocol !== b.protocol) return false;
  if (a.address === b.address) return true;
  return a.serviceId !== b.serviceId && (covers(a, b.address) || covers(b, a.address));
}

/** A wildcard socket covers every address of its kind. */
function covers(wildcard: Binding, address: string): boolean {
  if (wildcard.address === '0.0.0.0') return isIPv4(address);
  if (wildcard.address !== '::') return false;
  return isIPv6(address) || (wildcard.takesIpv4 && isIPv4(address));
}

const MAPPED = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/;

/** One spelling per address, so that equal addresses are equal texts. IPv4 in IPv6 becomes IPv4. */
export function shortenAddress(address: string): string {
  if (!isIPv6(address)) return address.toLowerCase();
  const short = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname.slice(1, -1);
  const mapped = MAPPED.exec(short);
  if (!mapped) return short;
  const bytes = mapped.slice(1).flatMap((part) => [Number.parseInt(part, 16) >> 8, Number.parseInt(part, 16) & 255]);
  return bytes.join('.');
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
