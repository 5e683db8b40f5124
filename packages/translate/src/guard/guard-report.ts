import type { DocumentKey } from '../documents/collections.ts';
import type { GuardReport } from '../types.ts';
import type { GuardedPolicies } from './connection-manager.ts';
import type { ManagerSummary } from './manager-facts.ts';
import type { SwitchedOff } from './switch-off.ts';

/** Number of virtual hosts and routes without the filter, if any. */
export type Unasked = Pick<SwitchedOff, 'hostCount' | 'routeCount'> | undefined;

/** A connection manager of a node, and which of its inline routes work without the filter. */
export interface NodeManager {
  readonly document: DocumentKey;
  readonly facts: ManagerSummary;
  readonly unasked: Unasked;
}

/**
 * Route configurations (loaded by RDS) that may disable the filter, because all connection managers that use them allow
 * it.
 */
export function findRoutesWithoutFilter(managers: readonly NodeManager[]): ReadonlySet<string> {
  const taken = managers.map(({ facts }) => facts);
  const asked = new Set(taken.filter(({ reasons }) => reasons.length > 0).map(({ routes }) => routes));
  return new Set(taken.flatMap(({ routes }) => (routes === undefined || asked.has(routes) ? [] : [routes])));
}

/** Inputs of the reports besides the connection managers. */
export interface GuardOutcome {
  readonly routesWithoutFilter: ReadonlySet<string>;
  /** For a route configuration that the node gets. */
  readonly unaskedIn: (routes: string) => Unasked;
  /** Undefined if unknown. */
  readonly policies: GuardedPolicies | undefined;
}

export function reportGuard({ document, facts, unasked: inline }: NodeManager, outcome: GuardOutcome): GuardReport {
  const { path, routes, reasons } = facts;
  const unasked = routes === undefined ? inline : outcome.unaskedIn(routes);
  const isShared = reasons.length === 0 && routes !== undefined && !outcome.routesWithoutFilter.has(routes);
  return {
    document,
    path,
    reasons: [
      ...reasons,
      ...(isShared ? [`another listener takes ${routes}, and has to ask the filter about every request`] : []),
      ...(outcome.policies ? [] : ['the policies could not be read']),
    ],
    unaskedHosts: unasked?.hostCount ?? 0,
    unaskedRoutes: unasked?.routeCount ?? 0,
  };
}
