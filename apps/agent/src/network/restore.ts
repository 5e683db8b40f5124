import { isEditable, isOfKernel, routeKey, routeLine, ruleKey, ruleLine, toLine } from './ip-lines.ts';
import type { Scope } from './plan-links.ts';
import type { Address, KernelState, Link, Route } from './types.ts';

/**
 * The lines that turn the state `now` into `before`, within the scope of a change. Empty if both are equal there. Routes of
 * routing programs that came or went meanwhile are left alone, except those that the change has deleted with an interface.
 */
export function planRestore(now: KernelState, before: KernelState, scope: Scope): string[] {
  return [
    ...restoreLinks(now, before, scope),
    ...restoreRoutes(now, before, scope),
    ...restoreRules(now, before, scope),
  ];
}

function restoreLinks(now: KernelState, before: KernelState, { links }: Scope): string[] {
  return links.flatMap((name) => {
    const is = now.links.find((link) => link.name === name);
    const was = before.links.find((link) => link.name === name);
    if (!was) return is ? [toLine(['link', 'del', name])] : [];
    return [...(is ? [] : createLine(was)), ...restoreLink(is, was)];
  });
}

function createLine({ name, kind, parent, vlanId }: Link): string[] {
  if (kind === 'vlan')
    return [toLine(['link', 'add', 'link', parent ?? '', 'name', name, 'type', 'vlan', 'id', vlanId ?? 0])];
  return kind === '' ? [] : [toLine(['link', 'add', name, 'type', kind])];
}

function restoreLink(is: Link | undefined, was: Link): string[] {
  const { name, mtu, master, isUp } = was;
  const has = (link: Link | undefined, address: string) =>
    link?.addresses.some((one) => one.address === address) ?? false;
  const lines: string[] = [];
  if (is?.mtu !== mtu) lines.push(toLine(['link', 'set', name, 'mtu', mtu]));
  if (is?.master !== master)
    lines.push(toLine(['link', 'set', name, ...(master === undefined ? ['nomaster'] : ['master', master])]));
  if (is?.isUp !== isUp) lines.push(toLine(['link', 'set', name, isUp ? 'up' : 'down']));
  for (const one of is?.addresses ?? [])
    if (!one.isOfKernel && !has(was, one.address)) lines.push(toLine(['addr', 'del', one.address, 'dev', name]));
  for (const one of was.addresses) if (!one.isOfKernel && !has(is, one.address)) lines.push(addLine(name, one));
  return lines;
}

/** An address that was there has been checked for duplicates before. */
function addLine(name: string, { address, family }: Address): string {
  return toLine(['addr', 'replace', address, 'dev', name, ...(family === 6 ? ['nodad'] : [])]);
}

function restoreRoutes(now: KernelState, before: KernelState, { links, routeKeys }: Scope): string[] {
  const keys = new Set(routeKeys);
  const touched = new Set(links);
  const isOnTouched = ({ hops }: Route) => hops.some(({ dev }) => dev !== undefined && touched.has(dev));
  const is = new Map(now.routes.map((route) => [routeKey(route), route]));
  const was = new Map(before.routes.map((route) => [routeKey(route), route]));
  const removed = now.routes.filter((route) => {
    if (isOfKernel(route) || isEqual(was.get(routeKey(route)), route)) return false;
    return keys.has(routeKey(route)) || (isEditable(route) && isOnTouched(route));
  });
  const added = before.routes.filter((route) => {
    if (isOfKernel(route) || isEqual(is.get(routeKey(route)), route)) return false;
    return keys.has(routeKey(route)) || isOnTouched(route);
  });
  // Next hops must be reachable before the routes that use them.
  const byHops = added.toSorted((a, b) => Number(a.hops[0]?.via !== undefined) - Number(b.hops[0]?.via !== undefined));
  return [...removed.map((route) => routeLine('del', route)), ...byHops.map((route) => routeLine('add', route))];
}

function isEqual(a: Route | undefined, b: Route): boolean {
  return a !== undefined && routeLine('add', a) === routeLine('add', b);
}

function restoreRules(now: KernelState, before: KernelState, { ruleKeys }: Scope): string[] {
  const keys = new Set(ruleKeys);
  const is = new Set(now.rules.map(ruleKey));
  const was = new Set(before.rules.map(ruleKey));
  return [
    ...before.rules
      .filter((rule) => keys.has(ruleKey(rule)) && !is.has(ruleKey(rule)))
      .map((rule) => ruleLine('add', rule)),
    ...now.rules
      .filter((rule) => keys.has(ruleKey(rule)) && !was.has(ruleKey(rule)))
      .map((rule) => ruleLine('del', rule)),
  ];
}
