import { type EnvoyApi, isJsonObject, type JsonObject } from '@flotilla/envoy-api';
import type { Violation } from '@flotilla/kit';
import { MESSAGE } from './collections.ts';

/** Clusters that the translator adds. Documents must not define them or send traffic to them. */
export const RESERVED_PREFIX = 'flotilla_';
export const XDS_CLUSTER_NAME = 'flotilla_xds';
export const ACCESS_LOG_CLUSTER_NAME = 'flotilla_access_log';
/** The name of our filter in a connection manager; per-route configuration under this key would disable it. */
export const SHIELD_HTTP_FILTER_NAME = 'flotilla_shield';

export function isReservedName(name: string): boolean {
  return name.startsWith(RESERVED_PREFIX);
}

/** Finds uses of what belongs to the controller: rejected for everybody, including owners. */
export function findReservedUse(api: EnvoyApi, type: string, resource: JsonObject): Violation[] {
  const found: Violation[] = [];
  api.walk(type, resource, {
    message: ({ path, typeName, value }) => {
      if (!isJsonObject(value)) return undefined;
      const at = (key: string) => (path === '' ? key : `${path}.${key}`);
      if (typeName === MESSAGE.cluster && isReservedName(String(value.name ?? ''))) {
        found.push({ path: at('name'), rule: 'reserved', message: 'belongs to the controller' });
      }
      if (typeName === MESSAGE.httpFilter && value.name === SHIELD_HTTP_FILTER_NAME) {
        found.push({
          path: at('name'),
          rule: 'reserved',
          message: 'is the filter that a service gets from its policies',
        });
      }
      if (typeName === MESSAGE.bootstrap) {
        for (const field of ['node', 'dynamic_resources'] as const) {
          if (value[field] !== undefined) {
            found.push({ path: at(field), rule: 'reserved', message: 'is set by the controller; leave it out' });
          }
        }
      }
      const perFilter = value.typed_per_filter_config;
      if (isJsonObject(perFilter) && Object.hasOwn(perFilter, SHIELD_HTTP_FILTER_NAME)) {
        const message = 'configures the filter that a service gets from its policies';
        found.push({ path: at(`typed_per_filter_config.${SHIELD_HTTP_FILTER_NAME}`), rule: 'reserved', message });
      }
      return undefined;
    },
  });
  return found;
}
