import type { JsonObject, JsonValue } from '@flotilla/envoy-api';
import { ANY_ADDRESS, type Restriction, restrict } from './reach.ts';

/** Clusters whose endpoints come from the document or DNS. `Cluster.DiscoveryType` by name or number. */
const FREE_TYPES: ReadonlySet<string> = new Set(['STATIC', 'STRICT_DNS', 'LOGICAL_DNS', 'EDS', '0', '1', '2', '3']);

/** Accepts every spelling of an enum value that `EnvoyApi.check` accepts. */
export function restrictionOfDiscoveryType(type: JsonValue): Restriction | undefined {
  return FREE_TYPES.has(String(type).toUpperCase().replaceAll('-', '_')) ? undefined : ANY_ADDRESS;
}

const NAMES_ONLY = restrict('network', 'names a kind of cluster without the message that configures it');
/** Kinds without their own message. */
const FREE_NAMES: ReadonlySet<string> = new Set([
  'envoy.cluster.eds',
  'envoy.cluster.logical_dns',
  'envoy.cluster.static',
  'envoy.cluster.strict_dns',
]);

/** Without a message, Envoy looks a cluster type up by name (`envoy.cluster.original_dst`). */
export function restrictionOfClusterType({ name = '', typed_config }: JsonObject): Restriction | undefined {
  const isTyped = typed_config !== undefined && typed_config !== null;
  return isTyped || FREE_NAMES.has(String(name)) ? undefined : NAMES_ONLY;
}
