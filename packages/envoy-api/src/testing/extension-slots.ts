import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { EnvoyApi } from '../api.ts';
import { buildCase } from './verdict-cases/index.ts';

const LISTENER = 'static_resources.listeners.0';
const FILTERS = `${LISTENER}.filter_chains.0.filters`;
const ROUTER: JsonObject = {
  name: 'r',
  typed_config: { '@type': 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router' },
};

/** Kinds of extensions, and where a bootstrap accepts one of them. */
const SLOTS: ReadonlyArray<{
  readonly family: string;
  readonly place: string;
  wrap(extension: JsonObject): JsonValue;
}> = [
  { family: 'filters.http', place: `${FILTERS}.0.typed_config.http_filters`, wrap: (extension) => [extension, ROUTER] },
  { family: 'filters.network', place: FILTERS, wrap: (extension) => [extension] },
  { family: 'filters.listener', place: `${LISTENER}.listener_filters`, wrap: (extension) => [extension] },
  { family: 'access_loggers', place: `${FILTERS}.0.typed_config.access_log`, wrap: (extension) => [extension] },
  {
    family: 'transport_sockets',
    place: 'static_resources.clusters.0.transport_socket',
    wrap: (extension) => extension,
  },
  {
    family: 'load_balancing_policies',
    place: 'static_resources.clusters.0.load_balancing_policy',
    wrap: (extension) => ({ policies: [{ typed_extension_config: extension }] }),
  },
];

/**
 * Configuration of a route, not of the filter; Envoy mistakes it for the filter's own and reads other fields under its
 * numbers.
 */
const NOT_ITS_OWN = /PerRoute(Config)?$|Override$/;

export interface EmptyExtension {
  readonly typeName: string;
  readonly json: JsonObject;
}

/** A bootstrap for every top-level message of these kinds, without any field set. Envoy does not accept all of them. */
export function listEmptyExtensions(api: EnvoyApi): EmptyExtension[] {
  return SLOTS.flatMap(({ family, place, wrap }) => {
    const names = api
      .messages()
      .filter((name) => new RegExp(`^envoy\\.extensions\\.${family}\\.[a-z0-9_.]+\\.v3\\.[A-Za-z]+$`).test(name));
    return names
      .filter((name) => !NOT_ITS_OWN.test(name))
      .map((typeName) => {
        const extension = { name: 'x', typed_config: { '@type': `type.googleapis.com/${typeName}` } };
        return { typeName, json: buildCase({ name: typeName, set: { [place]: wrap(extension) } }) };
      });
  });
}
