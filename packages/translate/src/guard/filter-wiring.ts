import { isJsonObject, type JsonValue, typeNameOfUrl } from '@flotilla/envoy-api';
import { findFilterFaults, SHIELD_CLUSTER_NAME } from '@flotilla/policy';
import type { TranslationError } from '../types.ts';
import { listOf } from './connection-manager.ts';
import type { PolicyCoverage } from './coverage.ts';
import type { ManagerFacts } from './manager-facts.ts';

const EXT_PROC = 'envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor';

/**
 * Finds shield filters that cannot enforce the policies: the generated one if policies need more time than it allows,
 * and those in documents.
 */
export function checkFilters(
  managers: readonly ManagerFacts[],
  coverage: PolicyCoverage,
): Omit<TranslationError, 'document'>[] {
  const demands = { bodyMaxBytes: coverage.largestBody?.bytes ?? 0, budgetMs: coverage.longestBudgetMs };
  return managers.flatMap(({ path, manager }) =>
    listOf(manager.http_filters).flatMap((filter) => {
      const config = configOf(filter);
      if (config === undefined) return [];
      const name = isJsonObject(filter) ? String(filter.name) : '';
      return findFilterFaults(config, demands).map((fault) => ({
        path,
        rule: 'shield.wiring',
        message: `the filter ${name} cannot guard as the policies say: ${fault}`,
      }));
    }),
  );
}

/** The configuration of a filter that calls the shield. */
function configOf(filter: JsonValue) {
  const config = isJsonObject(filter) ? filter.typed_config : undefined;
  if (!isJsonObject(config) || typeNameOfUrl(String(config['@type'])) !== EXT_PROC) return undefined;
  const service = isJsonObject(config.grpc_service) ? config.grpc_service.envoy_grpc : undefined;
  return isJsonObject(service) && service.cluster_name === SHIELD_CLUSTER_NAME ? config : undefined;
}
