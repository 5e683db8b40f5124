import type { JsonObject } from '@flotilla/envoy-api';
import { ANY_ADDRESS, type Restriction } from './reach.ts';

/** Objects of Envoy that do not choose a cluster, an address or a namespace. */
const FREE_OBJECTS: ReadonlySet<string> = new Set([
  'envoy.hashable_string',
  'envoy.network.application_protocols',
  'envoy.network.ip',
  'envoy.network.upstream_server_name',
  'envoy.network.upstream_subject_alt_names',
  'envoy.ratelimit.hits_addend',
  'envoy.string',
  'envoy.tcp_proxy.disable_tunneling',
  'envoy.tcp_proxy.per_connection_idle_timeout_ms',
  'envoy.tcp_proxy.propagate_response_headers',
  'envoy.tcp_proxy.propagate_response_trailers',
  'envoy.udp_proxy.propagate_response_headers',
  'envoy.udp_proxy.propagate_response_trailers',
]);
const STEERING = /cluster|original_dst|dynamic_(?:host|port)|proxy_address|namespace/;

/** State of a connection or request with which Envoy chooses something that no field of the document names. */
export function restrictionOfFilterState({ object_key = '', factory_key = '' }: JsonObject): Restriction | undefined {
  const isFree = [object_key, factory_key].every((key) => {
    const name = String(key);
    return FREE_OBJECTS.has(name) || !(name.startsWith('envoy.') || STEERING.test(name));
  });
  return isFree ? undefined : ANY_ADDRESS;
}
