import { isDeepStrictEqual } from 'node:util';
import { err, ok, type Result } from '@flotilla/kit';
import { routeLine, ruleKey, ruleLine, toLine } from './ip-lines.ts';
import type { NetworkdConfig } from './networkd-files.ts';
import type { KernelState, Link, Problem } from './types.ts';

export interface LinkPlan {
  readonly lines: readonly string[];
  /** Routes and rules of the configuration, which the kernel may have dropped with an address. */
  readonly routeLines: readonly string[];
}

/** Plans what `ip` has to do so that the links of the kernel are as in the configuration. */
export function planLinks(
  state: KernelState,
  { before, after }: { readonly before: NetworkdConfig; readonly after: NetworkdConfig },
): Result<LinkPlan, Problem> {
  const links = new Map(state.links.map((link) => [link.name, link]));
  const lines: string[] = [];
  for (const [name, network] of after.networks) {
    if (network.usesDhcp)
      return err({
        code: 'network.unsupported',
        message: `${name}: DHCP needs systemd-networkd, which does not run on this host`,
      });
    if (!links.has(name) && !after.devices.has(name))
      return err({ code: 'network.no_interface', message: `this host has no interface ${name}` });
  }
  for (const name of before.devices.keys())
    if (!after.devices.has(name) && links.has(name)) lines.push(toLine(['link', 'del', name]));
  for (const [name, { kind, vlanId }] of after.devices) {
    if (links.has(name)) continue;
    if (kind !== 'bridge' && kind !== 'vlan' && kind !== 'bond')
      return err({ code: 'network.unsupported', message: `${name}: links of the kind ${kind} need systemd-networkd` });
    const parent = [...after.networks.values()].find(({ vlans }) => vlans.includes(name))?.name;
    const of =
      kind === 'vlan' ? ['link', parent ?? '', 'name', name, 'type', 'vlan', 'id', vlanId ?? 0] : [name, 'type', kind];
    lines.push(toLine(['link', 'add', ...of]));
  }
  // As networkd does, leave interfaces alone whose configuration stays the same.
  const changed = [...after.networks].filter(([name, one]) => !isDeepStrictEqual(one, before.networks.get(name)));
  for (const [name] of changed) lines.push(...planNetwork(name, links.get(name), { before, after }));
  for (const [name, old] of before.networks) {
    const link = links.get(name);
    if (after.networks.has(name) || !link || before.devices.has(name)) continue;
    for (const address of old.addresses)
      if (link.addresses.some((one) => one.address === address))
        lines.push(toLine(['addr', 'del', address, 'dev', name]));
  }
  return ok({ lines, routeLines: planRouting(state, after) });
}

function planNetwork(
  name: string,
  link: Link | undefined,
  { before, after }: { readonly before: NetworkdConfig; readonly after: NetworkdConfig },
): string[] {
  const network = after.networks.get(name);
  if (!network) return [];
  const { addresses, mtu, master } = network;
  const isNew = link === undefined;
  const have = new Set(link?.addresses.map(({ address }) => address));
  const lines: string[] = [];
  const wantedMtu = mtu ?? (before.networks.get(name)?.mtu === undefined ? undefined : 1500);
  if (wantedMtu !== undefined && link?.mtu !== wantedMtu) lines.push(toLine(['link', 'set', name, 'mtu', wantedMtu]));
  if (master !== undefined && link?.master !== master) lines.push(toLine(['link', 'set', name, 'master', master]));
  else if (master === undefined && link?.master !== undefined) lines.push(toLine(['link', 'set', name, 'nomaster']));
  const outdated = (link?.addresses ?? []).filter((one) => !one.isOfKernel && !addresses.includes(one.address));
  lines.push(...outdated.map(({ address }) => toLine(['addr', 'del', address, 'dev', name])));
  // With the first IPv4 address of a subnet, the kernel also deletes the others of the subnet.
  const added = addresses.filter((address) => outdated.length > 0 || !have.has(address));
  lines.push(...added.map((address) => toLine(['addr', 'replace', address, 'dev', name])));
  if (isNew || !link.isUp) lines.push(toLine(['link', 'set', name, 'up']));
  return lines;
}

function planRouting({ rules }: KernelState, { networks }: NetworkdConfig): string[] {
  const known = new Set(rules.map(ruleKey));
  const wanted = [...networks.values()];
  return [
    ...wanted.flatMap((network) => network.routes.map((route) => routeLine('replace', route))),
    ...wanted.flatMap((network) =>
      network.rules.flatMap((rule) => (known.has(ruleKey(rule)) ? [] : [ruleLine('add', rule)])),
    ),
  ];
}

/** The objects that a change may have touched. */
export interface Scope {
  readonly links: readonly string[];
  readonly routeKeys: readonly string[];
  readonly ruleKeys: readonly string[];
}
