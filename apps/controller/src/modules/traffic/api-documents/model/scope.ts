import type { ApiDocumentScope } from '@flotilla/contract';
import { INVALID_HOST, normalizeHost, toTemplate } from '@flotilla/inventory';
import type { Server } from './document.ts';

/** A place at which an operation was seen. */
export interface Place {
  readonly listeners: readonly string[];
  readonly host: string;
  readonly path: string;
}

export interface Scope {
  matches(place: Place): boolean;
  /** Whether a host is in the scope, apart from listeners and paths. */
  matchesHost(host: string): boolean;
}

interface HostPattern {
  /** `exact`: the name and its subdomains; `below`: the subdomains; `left`: names that begin with these labels. */
  readonly kind: 'exact' | 'below' | 'left';
  readonly name: string;
  /** Undefined: any port. Empty: no port, or the one of the scheme. */
  readonly port: string | undefined;
}

/** Undefined: the text is no host prefix. */
export function parseHostPrefix(text: string): HostPattern | undefined {
  const isBelow = text.startsWith('*.');
  const given = isBelow ? text.slice(2) : text;
  const [, port] = /^(?:[^:]*|\[[^\]]*\]):(\d{1,5})$/.exec(given) ?? [];
  const bare = port === undefined ? given : given.slice(0, -port.length - 1);
  const isLeft = !isBelow && port === undefined && bare.endsWith('.') && bare.length > 1;
  const host = normalizeHost(bare);
  if (host === INVALID_HOST || bare.includes('*') || bare.includes('@')) return undefined;
  if (port !== undefined && Number(port) > 65_535) return undefined;
  const kind = isBelow ? 'below' : isLeft ? 'left' : 'exact';
  const isDefaultPort = port === '80' || port === '443';
  return { kind, name: host, port: port === undefined ? undefined : isDefaultPort ? '' : String(Number(port)) };
}

/** The scope of a document whose servers have these hosts and paths. */
export function scopeOfServers(servers: readonly Server[]): Omit<ApiDocumentScope, 'listener_name'> {
  // A server without a host may be any host.
  const isAnyHost = servers.some(({ host }) => host === null);
  const paths = servers.map(({ base }) => toTemplate(base, '/') ?? '/');
  const isAnyPath = paths.includes('/');
  return {
    host_prefixes: isAnyHost ? [] : [...new Set(servers.flatMap(({ host }) => (host === null ? [] : [host])))],
    path_prefixes: isAnyPath ? [] : [...new Set(paths)],
  };
}

export function compileScope({ listener_name, host_prefixes, path_prefixes }: ApiDocumentScope): Scope {
  const hosts = host_prefixes.flatMap((text) => parseHostPrefix(text) ?? []);
  // Prefixes end at the bounds of segments. The root is empty.
  const paths = path_prefixes.map((path) => path.replace(/\/+$/, ''));
  // Hosts repeat: a project has far fewer than operations.
  const known = new Map<string, boolean>();
  const matchesHost = (host: string): boolean => {
    if (host_prefixes.length === 0) return true;
    let isIn = known.get(host);
    if (isIn === undefined) {
      const [name, port] = splitPort(host);
      isIn = hosts.some((pattern) => fits(pattern, name, port));
      known.set(host, isIn);
    }
    return isIn;
  };
  return {
    matchesHost,
    matches: ({ listeners, host, path }) =>
      (listener_name === '' || listeners.includes(listener_name)) &&
      (paths.length === 0 || paths.some((prefix) => path === prefix || path.startsWith(`${prefix}/`))) &&
      matchesHost(host),
  };
}

/** Hosts of the inventory are normalized: a colon after the name, or after the bracket of an IPv6 address, begins a port. */
function splitPort(host: string): [name: string, port: string] {
  const colon = host.lastIndexOf(':');
  if (colon === -1 || host.endsWith(']')) return [host, ''];
  return [host.slice(0, colon), host.slice(colon + 1)];
}

function fits({ kind, name, port }: HostPattern, host: string, hostPort: string): boolean {
  if (port !== undefined && port !== hostPort) return false;
  switch (kind) {
    case 'exact':
      return host === name || host.endsWith(`.${name}`);
    case 'below':
      return host.endsWith(`.${name}`);
    case 'left':
      return host.startsWith(`${name}.`);
  }
}
