import { RESOURCE_TYPE, type Resource, type Snapshot } from '@flotilla/xds';
import { readFields, readNumber, readText } from './wire-fields.ts';

/** Begins the statistics of a network filter: `http.<prefix>.` or `tcp.<prefix>.`. */
export interface FilterNames {
  readonly kind: 'http' | 'tcp';
  readonly prefix: string;
  /** Empty if the route configuration has no name or depends on the request. */
  readonly route: string;
}

export interface ListenerNames {
  readonly name: string;
  /** Stands for the listener in the names of its statistics: its `stat_prefix`, or its address. */
  readonly statName: string;
  readonly filters: readonly FilterNames[];
}

export interface HostNames {
  readonly route: string;
  readonly host: string;
  /** The parts after `vhost.` in the names of the statistics that together count each request of the host once. */
  readonly statNames: readonly string[];
}

/** The names in a snapshot, and the names under which Envoy counts them. */
export interface EnvoyNames {
  readonly listeners: readonly ListenerNames[];
  readonly hosts: readonly HostNames[];
  readonly clusters: ReadonlyArray<{ readonly name: string; readonly statName: string }>;
}

/** Replaces what Envoy replaces in names. Envoy 1.36 does not do this everywhere, so both sides of a comparison need it. */
export function sanitizeStatName(name: string): string {
  return name.includes(':') || name.includes('\0') ? name.replace(/:\/\/|:\/|:|\0/g, '_') : name;
}

const decoded = new WeakMap<Uint8Array, EnvoyNames>();
const NOTHING: EnvoyNames = { listeners: [], hosts: [], clusters: [] };

/** Unchanged resources are decoded only once. A resource that cannot be decoded has no names. */
export function readEnvoyNames(snapshot: Snapshot | undefined): EnvoyNames {
  const all = [...(snapshot?.resources.values() ?? [])].map((resource) => {
    const known = decoded.get(resource.bytes);
    if (known) return known;
    const names = decode(resource);
    decoded.set(resource.bytes, names);
    return names;
  });
  return {
    listeners: all.flatMap(({ listeners }) => listeners),
    hosts: all.flatMap(({ hosts }) => hosts),
    clusters: all.flatMap(({ clusters }) => clusters),
  };
}

function decode({ typeUrl, name, bytes }: Resource): EnvoyNames {
  try {
    switch (typeUrl) {
      case RESOURCE_TYPE.cluster:
        return { ...NOTHING, clusters: [{ name, statName: sanitizeStatName(readText(bytes, 28) || name) }] };
      case RESOURCE_TYPE.route:
        return { ...NOTHING, hosts: readRoute(bytes).hosts };
      case RESOURCE_TYPE.virtualHost:
        // The name of the resource is <route configuration>/<host or domain>.
        return { ...NOTHING, hosts: readHost(name.slice(0, Math.max(0, name.lastIndexOf('/'))), bytes) };
      case RESOURCE_TYPE.listener:
        return readListener(name, bytes);
      default:
        return NOTHING;
    }
  } catch {
    return NOTHING;
  }
}

function readListener(name: string, bytes: Uint8Array): EnvoyNames {
  const filters: FilterNames[] = [];
  const hosts: HostNames[] = [];
  let address = '';
  let statPrefix = '';
  const chain = (chainBytes: Uint8Array) =>
    readFields(chainBytes, {
      3: (filter) => {
        const found = readFilter(filter);
        if (!found) return;
        filters.push(found.names);
        hosts.push(...found.hosts);
      },
    });
  readFields(bytes, {
    2: (value) => {
      address = readAddress(value);
    },
    3: chain,
    25: chain,
    28: (value) => {
      statPrefix = new TextDecoder().decode(value);
    },
  });
  const statName = sanitizeStatName(statPrefix || address);
  return { ...NOTHING, listeners: [{ name, statName, filters }], hosts };
}

function readFilter(filter: Uint8Array): { names: FilterNames; hosts: readonly HostNames[] } | undefined {
  let found: { names: FilterNames; hosts: readonly HostNames[] } | undefined;
  readFields(filter, {
    4: (any) => {
      const typeUrl = readText(any, 1);
      readFields(any, {
        2: (config) => {
          if (typeUrl.endsWith('.HttpConnectionManager')) found = readConnectionManager(config);
          if (typeUrl.endsWith('.TcpProxy')) found = { names: namesOf('tcp', readText(config, 1), ''), hosts: [] };
        },
      });
    },
  });
  return found;
}

function readConnectionManager(config: Uint8Array): { names: FilterNames; hosts: readonly HostNames[] } {
  let route = '';
  let hosts: readonly HostNames[] = [];
  readFields(config, {
    3: (rds) => {
      route = readText(rds, 2);
    },
    4: (inline) => {
      ({ route, hosts } = readRoute(inline));
    },
  });
  return { names: namesOf('http', readText(config, 2), route), hosts };
}

function namesOf(kind: FilterNames['kind'], prefix: string, route: string): FilterNames {
  return { kind, prefix: sanitizeStatName(prefix), route };
}

function readRoute(bytes: Uint8Array): { route: string; hosts: HostNames[] } {
  const route = readText(bytes, 1);
  const hosts: HostNames[] = [];
  readFields(bytes, { 2: (host) => hosts.push(...readHost(route, host)) });
  return { route, hosts };
}

/** Returns nothing for a host of which Envoy counts no requests, or only some. */
function readHost(route: string, bytes: Uint8Array): HostNames[] {
  const host = readText(bytes, 1);
  const virtualClusters: string[] = [];
  const prefixes = new Set<string>();
  readFields(bytes, {
    3: (one) => prefixes.add(readText(one, 19)),
    5: (one) => virtualClusters.push(readText(one, 2)),
  });
  const counted =
    virtualClusters.length > 0
      ? [...virtualClusters, 'other'].map((name) => `${host}.vcluster.${name}`)
      : [...prefixes].map((prefix) => `${host}.route.${prefix}`);
  const isComplete = virtualClusters.length > 0 || (prefixes.size > 0 && !prefixes.has(''));
  return isComplete ? [{ route, host, statNames: counted.map(sanitizeStatName) }] : [];
}

/** Returns the address as Envoy writes it: `127.0.0.1:80`, `[::1]:80` or a path. */
function readAddress(bytes: Uint8Array): string {
  let address = '';
  readFields(bytes, {
    1: (socket) => {
      const host = readText(socket, 2);
      address = `${host.includes(':') ? toCanonicalIpv6(host) : host}:${readNumber(socket, 3)}`;
    },
    2: (pipe) => {
      address = readText(pipe, 1);
    },
  });
  return address;
}

function toCanonicalIpv6(host: string): string {
  return URL.canParse(`http://[${host}]`) ? new URL(`http://[${host}]`).hostname : `[${host}]`;
}
