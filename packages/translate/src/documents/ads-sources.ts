import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import { MESSAGE } from './collections.ts';
import { isEdsCluster } from './eds-cluster.ts';

/** Configuration that comes over the aggregated stream; every other source in a document is replaced by it. */
export const ADS_SOURCE = { ads: {}, resource_api_version: 'V3' } as const;

/**
 * Sets the sources that a message names itself to ADS. Of a source that was given, only its timeout stays. Changes the message in
 * place; `hasSecret` tells whether there is a document of this name.
 */
export function setAdsSources(typeName: string, message: JsonObject, hasSecret: (name: string) => boolean): void {
  switch (typeName) {
    case MESSAGE.cluster:
      if (isEdsCluster(message)) {
        const given = isJsonObject(message.eds_cluster_config) ? message.eds_cluster_config : {};
        message.eds_cluster_config = { ...given, eds_config: ADS_SOURCE };
      }
      return;
    case 'envoy.extensions.filters.network.http_connection_manager.v3.Rds':
      message.config_source = { ...keptTimeout(message.config_source), ...ADS_SOURCE };
      return;
    case 'envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig':
      // Without a source, the name is one of the bootstrap's static secrets unless a document has it.
      if (message.sds_config !== undefined || hasSecret(String(message.name ?? ''))) {
        message.sds_config = { ...keptTimeout(message.sds_config), ...ADS_SOURCE };
      }
      return;
    case MESSAGE.routeConfiguration:
      delete message.vhds;
      return;
    default:
      if (isJsonObject(message.config_discovery)) {
        const { config_source: given } = message.config_discovery;
        message.config_discovery.config_source = { ...keptTimeout(given), ...ADS_SOURCE };
      }
  }
}

function keptTimeout(source: JsonValue | undefined): JsonObject {
  return isJsonObject(source) && source.initial_fetch_timeout !== undefined
    ? { initial_fetch_timeout: source.initial_fetch_timeout }
    : {};
}

/** Messages that must say where their configuration comes from. It always comes over ADS, so a document may leave it out. */
const SOURCED: ReadonlySet<string> = new Set([
  'envoy.extensions.filters.network.http_connection_manager.v3.Rds',
  'envoy.config.core.v3.ExtensionConfigSource',
]);

/** The resource with sources of configuration where Envoy wants one and the document has none; itself when it has all. */
export function fillSources(api: EnvoyApi, type: string, resource: JsonObject): JsonObject {
  if (findUnsourced(api, type, resource).length === 0) return resource;
  const copy = structuredClone(resource);
  for (const message of findUnsourced(api, type, copy)) message.config_source = ADS_SOURCE;
  return copy;
}

function findUnsourced(api: EnvoyApi, type: string, resource: JsonObject): JsonObject[] {
  const found: JsonObject[] = [];
  api.walk(type, resource, {
    message: ({ typeName, value }) => {
      if (!SOURCED.has(typeName) || !isJsonObject(value)) return undefined;
      if (value.config_source === undefined && value.configSource === undefined) found.push(value);
      return undefined;
    },
  });
  return found;
}
