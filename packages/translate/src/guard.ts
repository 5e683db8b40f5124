import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import {
  shieldClusterConfig,
  shieldConnectionManagerFields,
  shieldFilterConfig,
  shieldThreadAddresses,
} from '@flotilla/policy';
import { SHIELD_HTTP_FILTER_NAME } from './documents/collections.ts';

/** Where the filter of a service listens, and how many proxies in front of it may be believed. */
export interface ShieldPlacement {
  /** Of the first thread; `shieldThreadAddress` names those of the others. */
  readonly socket: string;
  readonly threads: number;
  readonly xffTrustedHops: number;
}

/**
 * Puts the request filter first into a connection manager, also into the chains of upgrades (a WebSocket would walk past it),
 * and makes Envoy, filter and upstream see one and the same request. Where the peer's address comes from may be set in the
 * document; how a path is read may not, since a policy would be asked about another path than the upstream.
 */
export function guardConnectionManager(manager: JsonObject, shield: ShieldPlacement): void {
  const {
    use_remote_address,
    xff_num_trusted_hops,
    http2_protocol_options: _window,
    ...path
  } = shieldConnectionManagerFields({
    xffTrustedHops: shield.xffTrustedHops,
  }) as JsonObject;
  if (manager.use_remote_address === undefined && use_remote_address !== undefined) {
    manager.use_remote_address = use_remote_address;
    if (manager.xff_num_trusted_hops === undefined && xff_num_trusted_hops !== undefined) {
      manager.xff_num_trusted_hops = xff_num_trusted_hops;
    }
  }
  Object.assign(manager, path);
  // Would give the filters another path than the upstream.
  delete manager.path_normalization_options;
  manager.http_filters = [shieldFilter(), ...listOf(manager.http_filters)];
  for (const upgrade of listOf(manager.upgrade_configs)) {
    if (isJsonObject(upgrade) && listOf(upgrade.filters).length > 0) {
      upgrade.filters = [shieldFilter(), ...listOf(upgrade.filters)];
    }
  }
}

/** Under a name of its own: per-route configuration under Envoy's usual name must not switch it off. */
function shieldFilter(): JsonObject {
  return { ...structuredClone(shieldFilterConfig() as JsonObject), name: SHIELD_HTTP_FILTER_NAME };
}

export function shieldCluster(shield: ShieldPlacement): JsonObject {
  const addresses = shieldThreadAddresses({ kind: 'unix', path: shield.socket }, shield.threads);
  return shieldClusterConfig(addresses) as JsonObject;
}

function listOf(value: JsonValue | undefined): JsonValue[] {
  return Array.isArray(value) ? value : [];
}
