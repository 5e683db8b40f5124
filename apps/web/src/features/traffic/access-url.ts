const WILDCARDS: readonly string[] = ['0.0.0.0', '::'];
const HOSTNAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/i;

interface Place {
  /** `host:port` or `[host]:port` where Envoy listens. */
  readonly address: string;
  readonly isTls: boolean;
  /** Addresses of the client for the service, if the user may see them. */
  readonly addresses: readonly string[];
  readonly clientName: string;
}

/** Returns the URL of a listener; undefined if it has none that people can open, such as a Unix socket. */
export function toUrl({ address, isTls, addresses, clientName }: Place): string | undefined {
  const [, v6, v4, port] = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(address) ?? [];
  const listens = v6 ?? v4;
  if (listens === undefined || port === undefined) return undefined;
  const host = WILDCARDS.includes(listens) ? (addresses[0] ?? named(clientName)) : listens;
  const scheme = isTls ? 'https' : 'http';
  const isDefault = Number(port) === (isTls ? 443 : 80);
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}${isDefault ? '' : `:${port}`}/`;
}

/** A client is usually named like its host. Another name would not be safe in a command line. */
function named(clientName: string): string {
  return HOSTNAME.test(clientName) ? clientName : 'localhost';
}

export function toCurl(url: string): string {
  return `curl -i ${/^[\w./:~-]+$/.test(url) ? url : `'${url}'`}`;
}

/** Whether a listener's document has TLS in any of its filter chains. */
export function hasTls(resource: unknown): boolean {
  const listener = resource as { filter_chains?: unknown; default_filter_chain?: unknown } | null;
  const chains = [listener?.filter_chains ?? [], listener?.default_filter_chain ?? []].flat();
  return chains.some((chain) => typeof chain === 'object' && chain !== null && 'transport_socket' in chain);
}
