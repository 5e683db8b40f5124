import { err, ok, type Result } from '@flotilla/kit';
import type { Operation, RouteSpec } from '@flotilla/proto/commands';
import { isEditable, PROTOCOL_NAMES, routeKey, routeLine, STATIC, UNICAST } from './ip-lines.ts';
import type { KernelState, Problem, Route } from './types.ts';

export interface RoutePlan {
  readonly lines: readonly string[];
  /** Routes that do not exist any more, and those that are new. */
  readonly removed: readonly Route[];
  readonly added: readonly Route[];
}

const SCOPES = { global: 0, link: 253, host: 254 } as const;
/** The kernel gives it to IPv6 routes without a metric. */
const IPV6_METRIC = 1024;

/**
 * Plans a batch against the routes of the kernel. The operations see the result of the earlier ones. Nothing is planned if one of
 * them is impossible, or if it would touch a route of a routing program, of DHCP or of the kernel.
 */
export function planRoutes(
  state: KernelState,
  operations: ReadonlyArray<Operation<RouteSpec>>,
): Result<RoutePlan, Problem> {
  let routes = [...state.routes];
  const lines: string[] = [];
  for (const [i, { action, spec }] of operations.entries()) {
    const planned = planOne({ links: state.links, routes }, action, spec);
    if (!planned.ok) return err({ ...planned.error, message: `route_operations.${i}: ${planned.error.message}` });
    const { removed, added } = planned.value;
    routes = [...routes.filter((route) => !removed.includes(route)), ...added];
    lines.push(...planned.value.lines);
  }
  const keys = new Set(state.routes.map(routeKey));
  return ok({
    lines,
    removed: state.routes.filter((route) => !routes.includes(route)),
    added: routes.filter((route) => !keys.has(routeKey(route)) || !state.routes.includes(route)),
  });
}

function planOne(
  state: Pick<KernelState, 'links' | 'routes'>,
  action: Operation<RouteSpec>['action'],
  spec: RouteSpec,
): Result<RoutePlan, Problem> {
  if (action === 'DELETE') return planDelete(state.routes, spec);
  if (!state.links.some(({ name }) => name === spec.interface))
    return err({ code: 'network.no_interface', message: `this host has no interface ${spec.interface}` });
  const added = toRoute(spec);
  const same = state.routes.filter((route) => isSameDestination(route, added));
  const foreign = same.find((route) => !isEditable(route));
  if (foreign && action === 'REPLACE') return refuseForeign(foreign);
  if (action === 'REPLACE') {
    if (same.length > 1)
      return err({
        code: 'network.ambiguous',
        message: `${same.length} routes to ${spec.to} have this table and metric; delete them by their next hops`,
      });
    return ok({ lines: [routeLine('replace', added)], removed: same, added: [added] });
  }
  const exists = spec.family === 4 ? same.length > 0 : same.some((route) => routeKey(route) === routeKey(added));
  if (exists)
    return err({
      code: 'network.exists',
      message: `a route to ${spec.to} with this table and metric exists; use REPLACE`,
    });
  return ok({ lines: [routeLine('add', added)], removed: [], added: [added] });
}

function planDelete(routes: readonly Route[], spec: RouteSpec): Result<RoutePlan, Problem> {
  const found = routes.filter((route) => isMatch(route, spec));
  const [route] = found;
  if (!route) return err({ code: 'network.not_found', message: `there is no such route to ${spec.to}` });
  const foreign = found.find((one) => !isEditable(one));
  if (foreign) return refuseForeign(foreign);
  if (found.length > 1)
    return err({
      code: 'network.ambiguous',
      message: `${found.length} routes to ${spec.to} match; give via, interface and metric`,
    });
  if (route.isPartial || route.type !== UNICAST)
    return err({
      code: 'network.not_managed',
      message: `the route to ${spec.to} has attributes that cannot be set here`,
    });
  return ok({ lines: [routeLine('del', route)], removed: [route], added: [] });
}

function refuseForeign({ to, protocol }: Route) {
  const name = PROTOCOL_NAMES[protocol] ?? String(protocol);
  return err({
    code: 'network.protected',
    message: `the kernel says that the route to ${to} is of the protocol ${name}; change it where it comes from`,
  });
}

export function toRoute(spec: RouteSpec): Route {
  const { family, to, via, table, metric, source, scope, onlink } = spec;
  const scopeNumber = family === 6 ? 0 : SCOPES[scope ?? (via === undefined ? 'link' : 'global')];
  return {
    family,
    to,
    table,
    type: UNICAST,
    protocol: STATIC,
    scope: scopeNumber,
    metric: metric || (family === 6 ? IPV6_METRIC : 0),
    source,
    hops: [{ via, dev: spec.interface, weight: 1, isOnlink: onlink === true }],
    isPartial: false,
  };
}

/** The kernel's own key of a route, without the next hop. */
function isSameDestination(a: Route, b: Route): boolean {
  return a.family === b.family && a.table === b.table && a.to === b.to && a.metric === b.metric;
}

function isMatch({ family, table, to, metric, hops }: Route, spec: RouteSpec): boolean {
  if (family !== spec.family || table !== spec.table || to !== spec.to) return false;
  if (spec.metric !== undefined && metric !== (spec.metric || (family === 6 ? IPV6_METRIC : 0))) return false;
  return hops.some(
    ({ via, dev }) =>
      (spec.via === undefined || via === spec.via) && (spec.interface === undefined || dev === spec.interface),
  );
}
