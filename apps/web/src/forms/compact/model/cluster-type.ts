import { isIpAddress } from '../../model/ip-address.ts';
import { isObject, type Json, type JsonObject } from '../../model/json.ts';
import { formatPath, parsePath } from '../../model/path.ts';
import type { EndpointRow } from './endpoints.ts';
import { readMember, writeMember } from './members.ts';

/** Values of `Cluster.type` by their numbers. */
const TYPES = ['STATIC', 'STRICT_DNS', 'LOGICAL_DNS', 'EDS', 'ORIGINAL_DST'];
/** Types whose endpoints must be IP addresses. */
const IP_ONLY: ReadonlySet<string> = new Set(['STATIC', 'EDS']);

/** Resolves every host name again and again, and uses all its addresses. */
export const RESOLVING_TYPE = 'STRICT_DNS';

/** Returns the path of the cluster with these endpoints; undefined if they do not belong to one, as in a document of endpoints. */
export function placeOfCluster(endpointsAt: string): string | undefined {
  const path = parsePath(endpointsAt);
  const holder = path.at(-2);
  return holder === 'load_assignment' || holder === 'loadAssignment' ? formatPath(path.slice(0, -2)) : undefined;
}

/** Returns the type of the cluster; undefined if an extension replaces it, or the value is no type. */
export function readClusterType(cluster: Json | undefined): string | undefined {
  if (!isObject(cluster) || readMember(cluster, ['cluster_type']) !== undefined) return undefined;
  const type = readMember(cluster, ['type']) ?? 0;
  return typeof type === 'number' ? TYPES[type] : TYPES.find((known) => known === type);
}

/** Returns a cluster that takes host names, and keeps everything else. Envoy refuses EDS settings in it. */
export function toResolving(cluster: Json | undefined): JsonObject {
  const object = isObject(cluster) ? cluster : {};
  return writeMember(writeMember(object, ['type'], RESOLVING_TYPE), ['eds_cluster_config'], undefined);
}

/** Returns the numbers of the endpoints with a host name that a cluster of the type does not take. */
export function listMisplacedNames(rows: readonly EndpointRow[], type: string | undefined): number[] {
  if (type === undefined || !IP_ONLY.has(type)) return [];
  return rows.flatMap((row, index) => (isHostName(row) ? [index + 1] : []));
}

/** A custom resolver takes names in every type. */
function isHostName({ host, problems, others }: EndpointRow): boolean {
  if (host === '' || problems.some(({ cell }) => cell === 'host')) return false;
  return !isIpAddress(host) && !others.some((name) => name === 'resolver_name' || name === 'resolverName');
}
