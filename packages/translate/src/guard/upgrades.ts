import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import { MESSAGE } from '../documents/collections.ts';
import type { TranslationError } from '../types.ts';
import { listOf } from './connection-manager.ts';
import type { PolicyCoverage } from './coverage.ts';

/**
 * Finds connection managers and their routes that accept upgrades while a policy limits GraphQL queries without
 * mentioning upgrades: the frames of a WebSocket are not checked against any limit. A policy can allow this
 * (`block_upgrades: false`).
 */
export function checkUpgrades(
  api: EnvoyApi,
  { type, resource }: { readonly type: string; readonly resource: JsonObject },
  coverage: PolicyCoverage,
): Omit<TranslationError, 'document'>[] {
  const policy = coverage.silentOnUpgrades;
  if (policy === undefined) return [];
  const found: Omit<TranslationError, 'document'>[] = [];
  api.walk(type, resource, {
    message: ({ path, typeName, value }) => {
      if (!isJsonObject(value) || (typeName !== MESSAGE.connectionManager && typeName !== MESSAGE.routeAction))
        return undefined;
      const taken = listOf(value.upgrade_configs).flatMap(upgradeOf);
      if (taken.length === 0) return undefined;
      const message = `takes upgrades (${taken.join(', ')}), and what comes in their frames is held to no limit of policy ${policy}: set graphql.block_upgrades to true there (handshakes on its paths are blocked) or to false (they are meant to go on), or take them out of upgrade_configs`;
      found.push({
        path: path === '' ? 'upgrade_configs' : `${path}.upgrade_configs`,
        rule: 'shield.upgrades',
        message,
      });
      return undefined;
    },
  });
  return found;
}

/** The protocol of an enabled entry. CONNECT has no path that a policy could check. */
function upgradeOf(entry: JsonValue): string[] {
  if (!isJsonObject(entry) || entry.enabled === false) return [];
  const type = String(entry.upgrade_type ?? '');
  return /^connect/i.test(type) ? [] : [type];
}
