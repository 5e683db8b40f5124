import { failPublish } from '@flotilla/contract';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/envoy-api';
import type { StoredDocument } from '../../configuration/public.ts';

/** Facts about an existing listener that publishing needs. */
export interface ListenerFacts {
  readonly name: string;
  /** As stored: `@client` stands for the addresses of the client. */
  readonly address: string;
  readonly port: number;
  readonly tls: boolean;
  readonly routes: string;
  /** Requests lose their port before hosts are compared. */
  readonly stripsPort: boolean;
}

/** Names of the filters that the listener refers to by `$ref`. */
export function listFilterRefs({ resource }: Pick<StoredDocument, 'resource'>): string[] {
  return filtersOf(resource).flatMap((filter) => {
    const ref = isJsonObject(filter)
      ? (filter.$ref ?? (isJsonObject(filter.typed_config) ? filter.typed_config.$ref : undefined))
      : undefined;
    return typeof ref === 'string' && ref.startsWith('filters/') ? [ref.slice('filters/'.length)] : [];
  });
}

/** Throws publish.listener_unsuitable unless the listener takes its routes from one route configuration. */
export function readListener(
  { name, resource }: Pick<StoredDocument, 'name' | 'resource'>,
  filters: readonly Pick<StoredDocument, 'resource'>[],
): ListenerFacts {
  const socket = isJsonObject(resource.address) ? resource.address.socket_address : undefined;
  const port = isJsonObject(socket) ? Number(socket.port_value) : 0;
  const unsuitable = (reason: string) => failPublish('publish.listener_unsuitable', { listener: name, reason });
  if (!isJsonObject(socket) || !(port > 0)) throw unsuitable('it has no address and port');
  const managers = [
    ...filtersOf(resource).flatMap((filter) => (isJsonObject(filter) ? [filter.typed_config] : [])),
    ...filters.map((filter) => filter.resource),
  ].filter(isManager);
  const routes = new Set(managers.flatMap(({ rds }) => (isJsonObject(rds) ? [String(rds.route_config_name)] : [])));
  const [first, second] = routes;
  if (managers.length === 0) throw unsuitable('it does not speak HTTP');
  if (first === undefined)
    throw unsuitable('its routes are part of the listener. Move them to a route configuration first');
  if (second !== undefined) throw unsuitable(`it has several route configurations: ${[...routes].join(', ')}`);
  return {
    name,
    address: String(socket.address),
    port,
    tls: chainsOf(resource).some((chain) => isJsonObject(chain) && chain.transport_socket !== undefined),
    routes: first,
    stripsPort: managers.every(
      (manager) => manager.strip_any_host_port === true || manager.strip_matching_host_port === true,
    ),
  };
}

function isManager(config: JsonValue | undefined): config is JsonObject {
  return isJsonObject(config) && (config.rds !== undefined || config.route_config !== undefined);
}

function chainsOf(listener: JsonObject): JsonValue[] {
  const chains = Array.isArray(listener.filter_chains) ? listener.filter_chains : [];
  return listener.default_filter_chain === undefined ? chains : [...chains, listener.default_filter_chain];
}

function filtersOf(listener: JsonObject): JsonValue[] {
  return chainsOf(listener).flatMap((chain) =>
    isJsonObject(chain) && Array.isArray(chain.filters) ? chain.filters : [],
  );
}
