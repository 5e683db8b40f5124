import { type EnvoyApi, isJsonObject, type JsonObject, type JsonValue, setOwn } from '@flotilla/envoy-api';
import { ADS_SOURCE } from '../resource-kinds.ts';

/**
 * A copy of `resource` with every field under its snake_case name. Envoy takes camelCase as well; with one spelling, whoever
 * looks for a field finds it. Order and everything else stay.
 */
export function toNormalForm(api: EnvoyApi, type: string, resource: JsonObject): JsonObject {
  const copy = structuredClone(resource);
  api.walk(type, copy, {
    message: ({ typeName, value }) => {
      if (isJsonObject(value)) renameKeys(api, typeName, value);
      return undefined;
    },
  });
  return copy;
}

/** Messages that must say where their configuration comes from. It always comes over ADS, so a document may leave it out. */
const SOURCED: ReadonlySet<string> = new Set([
  'envoy.extensions.filters.network.http_connection_manager.v3.Rds',
  'envoy.config.core.v3.ExtensionConfigSource',
]);

/** The resource with sources of configuration where Envoy wants one and the document has none; itself when it has all. */
export function fillSources(api: EnvoyApi, type: string, resource: JsonObject): JsonObject {
  const lacks = (value: JsonValue) =>
    isJsonObject(value) && value.config_source === undefined && value.configSource === undefined;
  let isMissing = false;
  const visit = (root: JsonObject, fill: boolean) =>
    api.walk(type, root, {
      message: ({ typeName, value }) => {
        if (!SOURCED.has(typeName) || !lacks(value)) return undefined;
        isMissing = true;
        if (fill && isJsonObject(value)) value.config_source = ADS_SOURCE;
        return undefined;
      },
    });
  visit(resource, false);
  if (!isMissing) return resource;
  const copy = structuredClone(resource);
  visit(copy, true);
  return copy;
}

function renameKeys(api: EnvoyApi, typeName: string, object: JsonObject): void {
  const keys = Object.keys(object);
  // A snake_case name has no capitals, and only few fields end in a digit after an underscore (`http_1`, in camelCase `http1`).
  if (!keys.some((key) => /[A-Z]|[a-z]\d/.test(key))) return;
  const message = api.registry.getMessage(typeName);
  if (!message) return;
  const entries = Object.entries(object) as [string, JsonValue][];
  for (const key of keys) delete object[key];
  for (const [key, value] of entries) {
    const exact = message.fields.some((field) => field.name === key);
    const name = exact ? key : (message.fields.find((field) => field.jsonName === key)?.name ?? key);
    setOwn(object, name, value);
  }
}

/** Whether a cluster gets its endpoints by EDS. Enums may be given by number (EDS is 3 in cluster.proto). */
export function isEdsCluster(cluster: JsonObject): boolean {
  return cluster.type === 'EDS' || cluster.type === 3;
}
