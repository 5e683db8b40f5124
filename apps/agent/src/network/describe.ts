import { join } from 'node:path';
import { ok, type Result } from '@flotilla/kit';
import { NETWORK_LIMITS } from '@flotilla/proto/commands';
import { readGenerations } from './generations.ts';
import { isEditable, PROTOCOL_NAMES, routeKey, ruleKey, SCOPE_NAMES, UNICAST } from './ip-lines.ts';
import { INTERFACES_FILE, ROUTES_FILE, readText } from './netplan-files.ts';
import { readTables } from './plan-change.ts';
import { toRule } from './plan-policies.ts';
import { toRoute } from './plan-routes.ts';
import { readKernelState } from './read-state.ts';
import { parseStoredRoutes, type StoredRoutes } from './stored-routes.ts';
import type { KernelState, Link, NetworkSettings, Problem, Route, Rule } from './types.ts';

type Filter = Readonly<Record<string, unknown>>;
type Answer = Promise<Result<Readonly<Record<string, unknown>>, Problem>>;

const TYPES: Readonly<Record<number, string>> = { 1: 'unicast', 6: 'blackhole', 7: 'unreachable', 8: 'prohibit' };

export async function describeState(settings: NetworkSettings): Answer {
  const state = await readKernelState(settings);
  if (!state.ok) return state;
  const stored = await readStored(settings);
  const tables = await listTables(settings);
  return ok({
    network_state: {
      interfaces: state.value.links.map(describeLink),
      ...listRoutes(state.value, stored, {}),
      ...listPolicies(state.value, stored, {}),
      routing_tables: tables,
      current_netplan_yaml: await readManaged(settings),
    },
  });
}

export async function describeRoutes(settings: NetworkSettings, filter: Filter): Answer {
  const state = await readKernelState(settings);
  return state.ok ? ok(listRoutes(state.value, await readStored(settings), filter)) : state;
}

export async function describePolicies(settings: NetworkSettings, filter: Filter): Answer {
  const state = await readKernelState(settings);
  return state.ok ? ok(listPolicies(state.value, await readStored(settings), filter)) : state;
}

export async function describeTables(settings: NetworkSettings): Answer {
  return ok({ routing_tables: await listTables(settings) });
}

export async function describeNetplan(settings: NetworkSettings): Answer {
  const generations = await readGenerations(settings);
  return ok({
    current_yaml: await readManaged(settings),
    generation: generations.at(-1)?.generation ?? 0,
    generations: generations.toReversed(),
  });
}

function describeLink({ name, kind, isLoopback, isUp, hasCarrier, mtu, mac, master, addresses }: Link) {
  return {
    name,
    kind: kind || (isLoopback ? 'loopback' : 'physical'),
    addresses: addresses.map(({ address }) => address),
    state: isUp ? 'up' : 'down',
    has_carrier: hasCarrier,
    mac_address: mac,
    mtu,
    ...(master !== undefined && { master }),
  };
}

/** `missing_routes`: stored ones that the kernel does not have. */
function listRoutes({ routes }: KernelState, stored: StoredRoutes, filter: Filter) {
  const keys = new Set(stored.routes.map(({ spec }) => looseKey(toRoute(spec))));
  const found = routes.filter((route) => isWanted(route, filter));
  const have = new Set(routes.map(looseKey));
  return {
    routes: found.slice(0, limitOf(filter)).map((route) => describeRoute(route, keys.has(looseKey(route)))),
    routes_total: found.length,
    missing_routes: stored.routes
      .map(({ spec }) => toRoute(spec))
      .filter((route) => !have.has(looseKey(route)))
      .map((route) => describeRoute(route, true)),
  };
}

/** The definition in netplan may have another name than the interface. */
function looseKey(route: Route): string {
  return routeKey({ ...route, hops: route.hops.map((hop) => ({ ...hop, dev: undefined })) });
}

function describeRoute(route: Route, isStored: boolean) {
  const { family, to, table, metric, source, scope, protocol, type, hops } = route;
  const [hop] = hops;
  return {
    family,
    to,
    is_default: to === 'default',
    via: hop?.via ?? null,
    interface: hop?.dev ?? null,
    table,
    metric,
    source: source ?? null,
    scope: SCOPE_NAMES[scope] ?? String(scope),
    protocol: PROTOCOL_NAMES[protocol] ?? String(protocol),
    onlink: hop?.isOnlink ?? false,
    type: TYPES[type] ?? String(type),
    protected: !isEditable(route) || route.isPartial || type !== UNICAST,
    stored: isStored,
    ...(hops.length > 1 && {
      next_hops: hops.map(({ via, dev, weight }) => ({ via: via ?? null, interface: dev ?? null, weight })),
    }),
  };
}

function listPolicies({ rules }: KernelState, stored: StoredRoutes, filter: Filter) {
  const interfaces = new Map(stored.policies.map(({ spec }) => [ruleKey(toRule(spec)), spec.interface]));
  const found = rules.filter(
    ({ family, table }) =>
      (filter.family === undefined || family === filter.family) &&
      (filter.table === undefined || table === filter.table),
  );
  const have = new Set(rules.map(ruleKey));
  return {
    policies: found.slice(0, limitOf(filter)).map((rule) => describeRule(rule, interfaces)),
    policies_total: found.length,
    missing_policies: stored.policies
      .map(({ spec }) => toRule(spec))
      .filter((rule) => !have.has(ruleKey(rule)))
      .map((rule) => describeRule(rule, interfaces)),
  };
}

function describeRule(rule: Rule, interfaces: ReadonlyMap<string, string | undefined>) {
  const { family, priority, from, to, table, protocol, isPartial } = rule;
  const { idMin, idMax } = NETWORK_LIMITS;
  return {
    family,
    priority,
    from,
    to,
    table,
    protocol: PROTOCOL_NAMES[protocol] ?? String(protocol),
    interface: interfaces.get(ruleKey(rule)) ?? null,
    stored: interfaces.has(ruleKey(rule)),
    protected: !isEditable(rule) || isPartial || priority < idMin || priority > idMax,
  };
}

function isWanted({ family, table, hops }: Route, filter: Filter): boolean {
  return (
    (filter.family === undefined || family === filter.family) &&
    (filter.table === undefined || table === filter.table) &&
    (filter.interface === undefined || hops.some(({ dev }) => dev === filter.interface))
  );
}

function limitOf({ limit }: Filter): number {
  return typeof limit === 'number' ? Math.min(limit, NETWORK_LIMITS.listMax) : NETWORK_LIMITS.listMax;
}

async function listTables(settings: NetworkSettings) {
  const { own, others } = await readTables(settings);
  const all = [...others.map((one) => ({ ...one, managed: false })), ...own.map((one) => ({ ...one, managed: true }))];
  return all.toSorted((a, b) => a.id - b.id);
}

async function readStored({ root }: NetworkSettings): Promise<StoredRoutes> {
  return parseStoredRoutes(await readText(join(root, 'etc/netplan', ROUTES_FILE)));
}

async function readManaged({ root }: NetworkSettings): Promise<string | null> {
  return (await readText(join(root, 'etc/netplan', INTERFACES_FILE))) ?? null;
}
