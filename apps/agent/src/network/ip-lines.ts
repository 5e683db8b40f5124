import type { Hop, Route, Rule } from './types.ts';

/** Routes of these protocols may be changed: set by hand (boot, static), or by nobody in particular. */
const EDITABLE = new Set([0, 3, 4]);
export const STATIC = 4;
export const UNICAST = 1;
const KERNEL = 2;

export const PROTOCOL_NAMES: Readonly<Record<number, string>> = {
  0: 'unspec',
  1: 'redirect',
  2: 'kernel',
  3: 'boot',
  4: 'static',
  8: 'gated',
  9: 'ra',
  10: 'mrt',
  11: 'zebra',
  12: 'bird',
  16: 'dhcp',
  17: 'mrouted',
  18: 'keepalived',
  42: 'babel',
  99: 'openr',
  186: 'bgp',
  187: 'isis',
  188: 'ospf',
  189: 'rip',
  192: 'eigrp',
};
export const SCOPE_NAMES: Readonly<Record<number, string>> = { 0: 'global', 200: 'site', 253: 'link', 254: 'host' };
const TYPE_NAMES: Readonly<Record<number, string>> = { 1: 'unicast', 6: 'blackhole', 7: 'unreachable', 8: 'prohibit' };

export function isEditable({ protocol }: Pick<Route, 'protocol'>): boolean {
  return EDITABLE.has(protocol);
}

export function isOfKernel({ protocol }: Pick<Route, 'protocol'>): boolean {
  return protocol === KERNEL;
}

/** Identifies a route by its version, table, destination, metric and next hops. */
export function routeKey({ family, table, to, metric, hops }: Route): string {
  const hopKeys = hops.map(({ via, dev }) => `${via ?? ''}%${dev ?? ''}`).toSorted();
  return [family, table, to, metric, ...hopKeys].join(' ');
}

export function ruleKey({ family, priority, from, to, table }: Rule): string {
  return [family, priority, from, to, table].join(' ');
}

/** A line of `ip -batch`. Throws for a word that could be read as anything but one word. */
export function toLine(words: ReadonlyArray<string | number>): string {
  for (const word of words) {
    if (!/^[A-Za-z0-9_.:/%-]+$/.test(String(word)))
      throw new Error('a word of a batch has a character that it must not have');
  }
  return words.join(' ');
}

export function routeLine(verb: 'add' | 'del' | 'replace', route: Route): string {
  const { family, to, table, metric, protocol, scope, source, type, hops } = route;
  const single = hops.length === 1 ? hops[0] : undefined;
  return toLine([
    'route',
    verb,
    ...(type === UNICAST ? [] : [TYPE_NAMES[type] ?? type]),
    explicit(to, family),
    ...(single ? hopWords(single) : []),
    'table',
    table,
    'proto',
    protocol,
    ...(metric > 0 ? ['metric', metric] : []),
    ...(family === 4 ? ['scope', scope] : []),
    ...(source === undefined ? [] : ['src', source]),
    ...(single ? [] : hops.flatMap((hop) => ['nexthop', ...hopWords(hop), 'weight', hop.weight])),
  ]);
}

function hopWords({ via, dev, isOnlink }: Hop): string[] {
  return [
    ...(via === undefined ? [] : ['via', via]),
    ...(dev === undefined ? [] : ['dev', dev]),
    ...(isOnlink ? ['onlink'] : []),
  ];
}

export function ruleLine(verb: 'add' | 'del', { family, from, to, table, priority, protocol }: Rule): string {
  return toLine([
    'rule',
    verb,
    'from',
    explicit(from, family),
    'to',
    explicit(to, family),
    'lookup',
    table,
    'priority',
    priority,
    'protocol',
    protocol,
  ]);
}

/** The word `default` would mean IPv4. */
function explicit(network: string, family: 4 | 6): string {
  if (network !== 'default') return network;
  return family === 4 ? '0.0.0.0/0' : '::/0';
}
