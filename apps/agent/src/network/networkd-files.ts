import { formatIpPrefix, parseIpPrefix } from '@flotilla/proto/commands';
import { STATIC, UNICAST } from './ip-lines.ts';
import type { Route, Rule } from './types.ts';

/** The configuration that netplan has generated for systemd-networkd. */
export interface NetworkdConfig {
  readonly devices: ReadonlyMap<string, { readonly kind: string; readonly vlanId: number | undefined }>;
  readonly networks: ReadonlyMap<string, NetworkdNetwork>;
}

export interface NetworkdNetwork {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly mtu: number | undefined;
  readonly usesDhcp: boolean;
  /** The bridge or bond that the interface belongs to. */
  readonly master: string | undefined;
  readonly vlans: readonly string[];
  readonly routes: readonly Route[];
  readonly rules: readonly Rule[];
}

interface Section {
  readonly name: string;
  readonly values: ReadonlyArray<readonly [string, string]>;
}

/** Reads `.network` and `.netdev` files by their names. Interfaces that are matched by anything but a name are omitted. */
export function parseNetworkd(files: ReadonlyMap<string, string>): NetworkdConfig {
  const devices = new Map<string, { kind: string; vlanId: number | undefined }>();
  const networks = new Map<string, NetworkdNetwork>();
  for (const [file, text] of files) {
    const sections = parseSections(text);
    if (file.endsWith('.netdev')) {
      const name = first(sections, 'NetDev', 'Name');
      const id = first(sections, 'VLAN', 'Id');
      if (name !== undefined)
        devices.set(name, {
          kind: first(sections, 'NetDev', 'Kind') ?? '',
          vlanId: id === undefined ? undefined : Number(id),
        });
    } else if (file.endsWith('.network')) {
      const name = first(sections, 'Match', 'Name');
      if (name !== undefined) networks.set(name, toNetwork(name, sections));
    }
  }
  return { devices, networks };
}

function toNetwork(name: string, sections: readonly Section[]): NetworkdNetwork {
  const mtu = first(sections, 'Link', 'MTUBytes');
  const dhcp = first(sections, 'Network', 'DHCP') ?? 'no';
  return {
    name,
    addresses: all(sections, 'Network', 'Address').map((one) => {
      const prefix = parseIpPrefix(one);
      return prefix ? `${prefix.address}/${prefix.length}` : one;
    }),
    mtu: mtu === undefined ? undefined : Number(mtu),
    usesDhcp: dhcp !== 'no',
    master: first(sections, 'Network', 'Bridge') ?? first(sections, 'Network', 'Bond'),
    vlans: all(sections, 'Network', 'VLAN'),
    routes: sections.filter((one) => one.name === 'Route').map((one) => toRoute(name, one)),
    rules: sections.filter((one) => one.name === 'RoutingPolicyRule').map(toRule),
  };
}

const SCOPES: Readonly<Record<string, number>> = { global: 0, site: 200, link: 253, host: 254 };
const IPV6_METRIC = 1024;

function toRoute(dev: string, section: Section): Route {
  const value = (key: string) => section.values.find(([name]) => name === key)?.[1];
  const via = value('Gateway');
  const to = value('Destination') ?? (via?.includes(':') ? '::/0' : '0.0.0.0/0');
  const family = to.includes(':') ? 6 : 4;
  return {
    family,
    to: normalize(to),
    table: Number(value('Table') ?? 254),
    type: UNICAST,
    protocol: STATIC,
    scope: family === 6 ? 0 : (SCOPES[value('Scope') ?? 'global'] ?? 0),
    metric: Number(value('Metric') ?? 0) || (family === 6 ? IPV6_METRIC : 0),
    source: value('PreferredSource'),
    hops: [{ via, dev, weight: 1, isOnlink: value('GatewayOnLink') === 'true' }],
    isPartial: false,
  };
}

function toRule(section: Section): Rule {
  const value = (key: string) => section.values.find(([name]) => name === key)?.[1];
  const from = value('From');
  const to = value('To');
  return {
    family: (from ?? to ?? '').includes(':') ? 6 : 4,
    priority: Number(value('Priority') ?? 0),
    from: normalize(from ?? '0.0.0.0/0'),
    to: normalize(to ?? '0.0.0.0/0'),
    table: Number(value('Table') ?? 254),
    protocol: STATIC,
    isPartial: false,
  };
}

function normalize(network: string): string {
  const prefix = parseIpPrefix(network);
  return prefix ? formatIpPrefix(prefix) : network;
}

function parseSections(text: string): Section[] {
  const sections: Array<{ name: string; values: Array<[string, string]> }> = [];
  for (const line of text.split('\n')) {
    const head = /^\[(\w+)\]$/.exec(line.trim());
    const [, key, value] = /^(\w+)=(.*)$/.exec(line.trim()) ?? [];
    if (head?.[1] !== undefined) sections.push({ name: head[1], values: [] });
    else if (key !== undefined) sections.at(-1)?.values.push([key, value ?? '']);
  }
  return sections;
}

function all(sections: readonly Section[], section: string, key: string): string[] {
  return sections
    .filter(({ name }) => name === section)
    .flatMap(({ values }) => values.flatMap(([name, value]) => (name === key ? [value] : [])));
}

function first(sections: readonly Section[], section: string, key: string): string | undefined {
  return all(sections, section, key)[0];
}
