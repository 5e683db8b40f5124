import type { PolicySpec, RouteSpec } from '@flotilla/proto/commands';
import { parse, stringify } from 'yaml';
import { ruleKey, SCOPE_NAMES } from './ip-lines.ts';
import type { Definition } from './netplan-documents.ts';
import { toRule } from './plan-policies.ts';
import { toRoute } from './plan-routes.ts';
import type { Route, Rule } from './types.ts';

const HEAD = '# Written by Flotilla. Change the routes and policies with its command NETWORK.\n';

/** A route or policy in the netplan file, below the definition of an interface. */
export interface Stored<Spec> {
  readonly definition: Definition;
  readonly spec: Spec;
}

export interface StoredRoutes {
  readonly routes: ReadonlyArray<Stored<RouteSpec>>;
  readonly policies: ReadonlyArray<Stored<PolicySpec>>;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads a file that `formatStoredRoutes` has written. Throws for another file. */
export function parseStoredRoutes(text: string | undefined): StoredRoutes {
  if (text === undefined) return { routes: [], policies: [] };
  const routes: Stored<RouteSpec>[] = [];
  const policies: Stored<PolicySpec>[] = [];
  const { network } = parse(text) as { network: Readonly<Record<string, Readonly<Record<string, Json>>>> };
  for (const [section, definitions] of Object.entries(network)) {
    if (typeof definitions !== 'object') continue;
    for (const [id, content] of Object.entries(definitions)) {
      const definition = { section, id };
      for (const one of (content.routes ?? []) as Json[]) routes.push({ definition, spec: fromRoute(one, id) });
      for (const one of (content['routing-policy'] ?? []) as Json[])
        policies.push({ definition, spec: fromPolicy(one, id) });
    }
  }
  return { routes, policies };
}

/** Undefined if there is nothing to store. */
export function formatStoredRoutes({ routes, policies }: StoredRoutes): string | undefined {
  if (routes.length + policies.length === 0) return undefined;
  const sections: Record<string, Record<string, Record<string, unknown[]>>> = {};
  const add = ({ section, id }: Definition, member: string, value: unknown) => {
    const ofSection = sections[section] ?? {};
    sections[section] = ofSection;
    const ofId = ofSection[id] ?? {};
    ofSection[id] = ofId;
    ofId[member] = [...(ofId[member] ?? []), value];
  };
  for (const { definition, spec } of routes) add(definition, 'routes', toYamlRoute(spec));
  for (const { definition, spec } of policies) add(definition, 'routing-policy', toYamlPolicy(spec));
  return `${HEAD}${stringify({ network: { version: 2, ...sections } })}`;
}

export interface StoredChange {
  readonly removedRoutes: readonly Route[];
  readonly addedRoutes: readonly Route[];
  readonly removedRules: readonly Rule[];
  readonly addedRules: ReadonlyArray<{ readonly rule: Rule; readonly interface: string }>;
}

/** Removes what the kernel does not have any more, and adds what is new. */
export function changeStored(
  stored: StoredRoutes,
  change: StoredChange,
  definitionOf: (name: string) => Definition,
): StoredRoutes {
  const removed = [...change.removedRoutes, ...change.addedRoutes].map(storedKey);
  const removedRules = [...change.removedRules, ...change.addedRules.map(({ rule }) => rule)].map(ruleKey);
  return {
    routes: [
      ...stored.routes.filter(({ spec }) => !removed.includes(storedKey(toRoute(spec)))),
      ...change.addedRoutes.map((route) => {
        const name = route.hops[0]?.dev ?? '';
        return { definition: definitionOf(name), spec: toSpec(route, name) };
      }),
    ],
    policies: [
      ...stored.policies.filter(({ spec }) => !removedRules.includes(ruleKey(toRule(spec)))),
      ...change.addedRules.map(({ rule, interface: name }) => ({
        definition: definitionOf(name),
        spec: { ...rule, interface: name },
      })),
    ],
  };
}

/** Without the interface, because definitions may have another name. */
function storedKey({ family, table, to, metric, hops }: Route): string {
  return [family, table, to, metric, hops[0]?.via ?? ''].join(' ');
}

function toSpec({ family, to, table, metric, source, scope, hops }: Route, name: string): RouteSpec {
  const name4 = SCOPE_NAMES[scope] as RouteSpec['scope'];
  return {
    family,
    to,
    via: hops[0]?.via,
    interface: name,
    table,
    metric: metric || undefined,
    source,
    scope: family === 4 ? name4 : undefined,
    onlink: hops[0]?.isOnlink ? true : undefined,
  };
}

function toYamlRoute({ family, to, via, table, metric, source, scope, onlink }: RouteSpec) {
  return {
    to: explicit(to, family),
    ...(via !== undefined && { via }),
    ...(metric !== undefined && { metric }),
    table,
    ...(source !== undefined && { from: source }),
    ...(scope !== undefined && scope !== 'global' && { scope }),
    ...(onlink === true && { 'on-link': true }),
  };
}

function toYamlPolicy({ family, from, to, table, priority }: PolicySpec) {
  return { from: explicit(from, family), to: explicit(to, family), table, priority };
}

function fromRoute(one: Json, name: string): RouteSpec {
  const { family, network } = readNetwork(one.to);
  return {
    family,
    to: network,
    via: one.via as string | undefined,
    interface: name,
    table: Number(one.table),
    metric: one.metric as number | undefined,
    source: one.from as string | undefined,
    scope: family === 6 ? undefined : ((one.scope ?? 'global') as RouteSpec['scope']),
    onlink: one['on-link'] === true ? true : undefined,
  };
}

function fromPolicy(one: Json, name: string): PolicySpec {
  const { family, network: from } = readNetwork(one.from);
  const { network: to } = readNetwork(one.to);
  return { family, from, to, table: Number(one.table), priority: Number(one.priority), interface: name };
}

function readNetwork(value: unknown): { family: 4 | 6; network: string } {
  const text = String(value);
  return { family: text.includes(':') ? 6 : 4, network: text.endsWith('/0') ? 'default' : text };
}

function explicit(network: string, family: 4 | 6): string {
  if (network !== 'default') return network;
  return family === 4 ? '0.0.0.0/0' : '::/0';
}
