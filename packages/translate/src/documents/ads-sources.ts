import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue, type VisitedField } from '@flotilla/envoy-api';
import { MESSAGE } from './collections.ts';
import { isEdsCluster } from './eds-cluster.ts';

/** The aggregated stream, which replaces every other configuration source in a document. */
export const ADS_SOURCE = { ads: {}, resource_api_version: 'V3' } as const;

/**
 * Sets the configuration sources of a message to ADS, in place. Keeps only the timeout of an existing source.
 * `hasSecret` tells whether a document with this name exists.
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
      // Without a source, the name refers to a static secret of the bootstrap, unless a document has it.
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

/** Fields whose source is always set to ADS (`setAdsSources`). A file in one of them would never be read. */
export const ALWAYS_ADS: ReadonlySet<string> = new Set([
  'envoy.config.cluster.v3.Cluster.EdsClusterConfig.eds_config',
  'envoy.config.core.v3.ExtensionConfigSource.config_source',
  'envoy.extensions.filters.network.http_connection_manager.v3.Rds.config_source',
  'envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig.sds_config',
]);

/** The error if a configuration source is a file; undefined for any other field or source. */
export function describeFileSource({ owner, name }: VisitedField, value: JsonValue): string | undefined {
  if (!ALWAYS_ADS.has(`${owner}.${name}`) || !isJsonObject(value)) return undefined;
  if (value.path === undefined && value.path_config_source === undefined) return undefined;
  return 'names a file, which is not read: configuration comes from the controller. Make a document of the content, and leave the source out or write { "ads": {} }';
}

function keptTimeout(source: JsonValue | undefined): JsonObject {
  return isJsonObject(source) && source.initial_fetch_timeout !== undefined
    ? { initial_fetch_timeout: source.initial_fetch_timeout }
    : {};
}

/** Messages that require a configuration source. It is always ADS, so a document may omit it. */
const SOURCED: ReadonlySet<string> = new Set([
  'envoy.extensions.filters.network.http_connection_manager.v3.Rds',
  'envoy.config.core.v3.ExtensionConfigSource',
]);

/** Adds required configuration sources that the document omits. Returns the resource itself if none is missing. */
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
