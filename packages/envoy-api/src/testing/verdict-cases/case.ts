import type { JsonObject, JsonValue } from '@bufbuild/protobuf';

/** A bootstrap: the base with values set at places. `undefined` removes a place. */
export interface VerdictCase {
  readonly name: string;
  readonly set: Readonly<Record<string, JsonValue | undefined>>;
}

export const LISTENER = 'static_resources.listeners.0';
export const HCM = `${LISTENER}.filter_chains.0.filters.0.typed_config`;
export const HOST = `${HCM}.route_config.virtual_hosts.0`;
export const ROUTE = `${HOST}.routes.0`;
export const CLUSTER = 'static_resources.clusters.0';
export const ENDPOINT = `${CLUSTER}.load_assignment.endpoints.0.lb_endpoints.0`;
export const FILTERS = `${HCM}.http_filters`;

export const url = (name: string) => `type.googleapis.com/${name}`;
export const http = (name: string) => url(`envoy.extensions.filters.http.${name}`);
export const ROUTER: JsonObject = {
  name: 'envoy.filters.http.router',
  typed_config: { '@type': http('router.v3.Router') },
};

/** A bootstrap that every supported Envoy accepts: one listener, one route, one cluster. */
export function createBase(): JsonObject {
  return {
    node: { id: 'n', cluster: 'c' },
    static_resources: {
      listeners: [
        {
          name: 'l',
          address: { socket_address: { address: '127.0.0.1', port_value: 0 } },
          filter_chains: [
            {
              filters: [
                {
                  name: 'envoy.filters.network.http_connection_manager',
                  typed_config: {
                    '@type': url('envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager'),
                    stat_prefix: 'in',
                    route_config: {
                      name: 'r',
                      virtual_hosts: [
                        { name: 'h', domains: ['*'], routes: [{ match: { prefix: '/' }, route: { cluster: 'c' } }] },
                      ],
                    },
                    http_filters: [structuredClone(ROUTER)],
                  },
                },
              ],
            },
          ],
        },
      ],
      clusters: [
        {
          name: 'c',
          type: 'STATIC',
          connect_timeout: '1s',
          load_assignment: {
            cluster_name: 'c',
            endpoints: [
              {
                lb_endpoints: [{ endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: 9 } } } }],
              },
            ],
          },
        },
      ],
    },
  };
}

export function buildCase({ set }: VerdictCase): JsonObject {
  const json = createBase();
  for (const [place, value] of Object.entries(set)) put(json, place.split('.'), value);
  return json;
}

function put(root: JsonObject, keys: readonly string[], value: JsonValue | undefined): void {
  let at = root as Record<string, JsonValue>;
  for (const key of keys.slice(0, -1)) {
    at[key] ??= {};
    at = at[key] as Record<string, JsonValue>;
  }
  const last = keys.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
}

export function one(name: string, place: string, value: JsonValue | undefined): VerdictCase {
  return { name, set: { [place]: value } };
}

/** The same place with several values; the case is named after the value. */
export function each(name: string, place: string, values: readonly JsonValue[]): VerdictCase[] {
  return values.map((value) => one(`${name} = ${JSON.stringify(value).slice(0, 60)}`, place, value));
}

/** An HTTP filter before the router. */
export function filter(name: string, type: string, config: JsonObject): VerdictCase {
  return one(`filter ${name}`, FILTERS, [{ name: 'f', typed_config: { '@type': http(type), ...config } }, ROUTER]);
}
