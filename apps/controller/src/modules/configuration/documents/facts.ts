import { type Collection, type DocumentFacts, FACT_DOMAINS_MAX } from '@flotilla/contract';
import type { JsonObject, JsonValue } from '@flotilla/envoy-api';

/** Derives what a list shows of a document's content. The resource has passed Envoy's schema; fields have their snake_case names. */
export function deriveFacts(collection: Collection, resource: JsonObject): DocumentFacts {
  switch (collection) {
    case 'listeners':
      return listenerFacts(resource);
    case 'clusters':
      return clusterFacts(resource);
    case 'endpoints':
      return endpointFacts(resource);
    case 'routes':
      return hostFacts(listAt(resource, 'virtual_hosts'));
    case 'virtual_hosts':
      return hostFacts([resource]);
    case 'secrets':
      return secretFacts(resource);
    case 'bootstrap':
    case 'filters':
    case 'extensions':
      return {};
  }
}

function listenerFacts(listener: JsonObject): DocumentFacts {
  const more = listAt(listener, 'additional_addresses').length;
  const chains = [...listAt(listener, 'filter_chains'), objectAt(listener, 'default_filter_chain')];
  return {
    ...addressFact(objectAt(listener, 'address')),
    ...(more > 0 && { more_addresses: more }),
    ...(chains.some(hasTransportSocket) && { tls: true }),
  };
}

function clusterFacts(cluster: JsonObject): DocumentFacts {
  const { type } = cluster;
  const { name } = objectAt(cluster, 'cluster_type') ?? {};
  return {
    ...endpointFacts(objectAt(cluster, 'load_assignment') ?? {}),
    // A cluster without a type is static (envoy.config.cluster.v3.Cluster).
    discovery: typeof name === 'string' ? name : typeof type === 'string' ? type : 'STATIC',
    ...((hasTransportSocket(cluster) || listAt(cluster, 'transport_socket_matches').length > 0) && { tls: true }),
  };
}

function endpointFacts(assignment: JsonObject): DocumentFacts {
  const localities = listAt(assignment, 'endpoints');
  if (localities.length === 0) return {};
  const endpoints = localities.flatMap((locality) => listAt(locality, 'lb_endpoints'));
  const [first] = endpoints;
  return { endpoints: endpoints.length, ...(first && addressFact(objectAt(objectAt(first, 'endpoint'), 'address'))) };
}

function hostFacts(hosts: readonly JsonObject[]): DocumentFacts {
  const domains = hosts.flatMap((host) => (Array.isArray(host.domains) ? host.domains : []));
  const named = domains.filter((domain): domain is string => typeof domain === 'string');
  return {
    domains: named.slice(0, FACT_DOMAINS_MAX),
    domains_total: named.length,
    routes: hosts.reduce((sum, host) => sum + listAt(host, 'routes').length, 0),
  };
}

const SECRET_KINDS = ['tls_certificate', 'validation_context', 'generic_secret', 'session_ticket_keys'] as const;

function secretFacts(secret: JsonObject): DocumentFacts {
  const content = SECRET_KINDS.find((kind) => kind in secret);
  return content ? { content } : {};
}

function addressFact(address: JsonObject | undefined): Pick<DocumentFacts, 'address'> {
  const socket = objectAt(address, 'socket_address');
  const path = objectAt(address, 'pipe')?.path;
  if (typeof path === 'string') return { address: path };
  if (typeof socket?.address !== 'string') return {};
  const host = socket.address.includes(':') ? `[${socket.address}]` : socket.address;
  const port = socket.port_value ?? socket.named_port ?? 0;
  return { address: `${host}:${String(port)}` };
}

function hasTransportSocket(holder: JsonObject | undefined): boolean {
  return objectAt(holder, 'transport_socket') !== undefined;
}

function objectAt(holder: JsonObject | undefined, key: string): JsonObject | undefined {
  return toObject(holder?.[key]);
}

function listAt(holder: JsonObject, key: string): JsonObject[] {
  const value = holder[key];
  return Array.isArray(value) ? value.map(toObject).filter((item) => item !== undefined) : [];
}

function toObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
