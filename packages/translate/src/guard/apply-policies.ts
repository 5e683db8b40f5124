import type { EnvoyApi, JsonObject } from '@flotilla/envoy-api';
import type { BuildContext } from '../build-context.ts';
import type { SourceDocument, TranslationError } from '../types.ts';
import { coverageOf } from './coverage.ts';
import { checkFilters } from './filter-wiring.ts';
import type { Unasked } from './guard-report.ts';
import { checkBuffers, findManagers, type ManagerFacts, switchInlineRoutesOff } from './manager-facts.ts';
import { switchOff } from './switch-off.ts';
import { checkUnguarded } from './unguarded.ts';
import { checkUpgrades } from './upgrades.ts';

/** The effect of policies on a document. */
export interface PolicyOutcome {
  readonly resource: JsonObject;
  readonly errors: readonly Omit<TranslationError, 'document'>[];
  /** For a listener or bootstrap. */
  readonly managers: readonly ManagerFacts[];
  readonly unasked: Unasked;
}

/** Applies policies to the finished document: body limits, and routes that need no filter. May change its resource. */
export function applyPolicies(
  api: EnvoyApi,
  { collection, name, type, resource }: SourceDocument,
  { node: { shield }, routesWithoutFilter }: BuildContext,
): PolicyOutcome {
  const nothing: PolicyOutcome = { resource, errors: [], managers: [], unasked: undefined };
  if (shield === undefined) return nothing;
  const coverage = shield.policies && coverageOf(shield.policies);
  if (collection === 'routes') {
    const switchedOff = coverage && routesWithoutFilter.has(name) ? switchOff(resource, coverage) : undefined;
    if (!switchedOff) return nothing;
    return {
      ...nothing,
      unasked: switchedOff,
      resource: { ...resource, virtual_hosts: [...switchedOff.virtualHosts] },
    };
  }
  if (collection !== 'listeners' && collection !== 'bootstrap') return nothing;
  const managers = findManagers(api, type, resource);
  return {
    resource,
    managers,
    errors: coverage
      ? [
          ...checkBuffers(managers, coverage),
          ...checkFilters(managers, coverage),
          ...checkUpgrades(api, { type, resource }, coverage),
          ...checkUnguarded(api, { type, resource }, coverage),
        ]
      : [],
    unasked: coverage && switchInlineRoutesOff(managers, coverage),
  };
}
