import { isJsonObject, type JsonObject } from '@flotilla/envoy-api';

/** Whether a cluster gets its endpoints by EDS. Enums may be given by number (EDS is 3 in cluster.proto). */
export function isEdsCluster(cluster: JsonObject): boolean {
  return cluster.type === 'EDS' || cluster.type === 3;
}

/** The resource name of the endpoints of an EDS cluster. */
export function edsNameOf(cluster: JsonObject): string {
  const eds = cluster.eds_cluster_config;
  const service = isJsonObject(eds) ? eds.service_name : undefined;
  return typeof service === 'string' && service !== '' ? service : String(cluster.name ?? '');
}
