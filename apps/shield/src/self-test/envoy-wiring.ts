import {
  ENVOY_BUFFER_DEFAULT_BYTES,
  type EnvoyJson,
  type FilterDemands,
  findFilterFaults,
  SHIELD_CLUSTER_NAME,
} from '@flotilla/policy';
import type { ListenAddress } from '../listen-address.ts';

/** Messages of Envoy's configuration dump (admin.v3), as JSON. */
export interface EnvoyDump {
  readonly listeners: readonly EnvoyJson[];
  readonly clusters: readonly EnvoyJson[];
}

export interface WiringDemands extends FilterDemands {
  /** Addresses of the filter's threads. */
  readonly addresses: readonly ListenAddress[];
}

export const NOT_ASKED = 'no listener of Envoy asks the filter: its HTTP connection managers need the ext_proc filter';

const FAULTS_MAX = 10;
const EXT_PROC = 'type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExternalProcessor';
const EXT_PROC_PER_ROUTE = 'type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExtProcPerRoute';
const MANAGER = 'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';

/**
 * Finds what in Envoy's configuration keeps the filter from working: sentences that name the listener. Listeners
 * without the filter are ignored if another one has it. Filters by discovery (`config_discovery`) and settings of
 * discovered routes are not in the dump of listeners.
 */
export function findWiringFaults({ listeners, clusters }: EnvoyDump, demands: WiringDemands): string[] {
  const ours = findClusters(clusters, demands.addresses);
  const faults = new Set<string>();
  let managers = 0;
  let asking = 0;
  for (const listener of listeners) {
    const tell = (fault: string) => faults.add(`listener ${String(listener.name ?? '')}: ${fault}`);
    let asksHere = 0;
    walk(listener, (message) => {
      if (message['@type'] === MANAGER) {
        managers += 1;
        if (mayAsk(message.http_filters, ours)) asksHere += 1;
      } else if (message['@type'] === EXT_PROC && isAskedBy(message, ours)) {
        for (const fault of findFilterFaults(message, demands)) tell(fault);
      } else if (message['@type'] === EXT_PROC_PER_ROUTE && isTree(message.overrides)) {
        const { failure_mode_allow } = message.overrides;
        if (failure_mode_allow === true) tell('failure_mode_allow: true of a route lets its requests pass unseen');
      }
    });
    asking += asksHere;
    const buffer = Number(listener.per_connection_buffer_limit_bytes ?? ENVOY_BUFFER_DEFAULT_BYTES);
    if (asksHere > 0 && buffer > 0 && buffer <= demands.bodyMaxBytes)
      tell(
        `per_connection_buffer_limit_bytes of ${buffer} is not above max_request_body_bytes of ${demands.bodyMaxBytes}; set it higher`,
      );
  }
  if (managers > 0 && asking === 0) faults.add(NOT_ASKED);
  return [...faults].slice(0, FAULTS_MAX);
}

/** Clusters of the filter: the generated one, and those with one of its addresses. */
function findClusters(clusters: readonly EnvoyJson[], addresses: readonly ListenAddress[]): ReadonlySet<string> {
  const ours = new Set<string>([SHIELD_CLUSTER_NAME]);
  const isOurs = ({ pipe, socket_address: socket }: EnvoyJson) =>
    addresses.some((address) =>
      address.kind === 'unix'
        ? isTree(pipe) && pipe.path === address.path
        : isTree(socket) && socket.address === address.host && Number(socket.port_value) === address.port,
    );
  for (const cluster of clusters) {
    walk(cluster, (message) => {
      if (isTree(message.address) && isOurs(message.address)) ours.add(String(cluster.name));
    });
  }
  for (const address of addresses) ours.add(targetOf(address));
  return ours;
}

/** The form of `google_grpc.target_uri`. */
function targetOf(address: ListenAddress): string {
  return address.kind === 'unix' ? `unix:${address.path}` : `${address.host}:${address.port}`;
}

/** Whether the filters of a connection manager call us, as far as the dump shows. */
function mayAsk(filters: unknown, ours: ReadonlySet<string>): boolean {
  if (!Array.isArray(filters)) return false;
  return filters.some((filter: unknown) => {
    if (!isTree(filter) || filter.disabled === true) return false;
    let isFound = false;
    walk(filter, (message) => {
      if (message['@type'] === EXT_PROC && isAskedBy(message, ours)) isFound = true;
      const types: unknown = isTree(message.config_discovery) ? message.config_discovery.type_urls : undefined;
      if (Array.isArray(types) && types.includes(EXT_PROC)) isFound = true;
    });
    return isFound;
  });
}

function isAskedBy(config: EnvoyJson, ours: ReadonlySet<string>): boolean {
  const service = isTree(config.grpc_service) ? config.grpc_service : {};
  const { envoy_grpc: envoy, google_grpc: google } = service;
  if (isTree(envoy)) return ours.has(String(envoy.cluster_name));
  return isTree(google) && ours.has(String(google.target_uri).replace(/^(unix:)\/\/(?=\/)/, '$1'));
}

/** Visits every message, outer ones first. */
function walk(value: unknown, visit: (message: EnvoyJson) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  else if (isTree(value)) {
    visit(value);
    for (const member of Object.values(value)) walk(member, visit);
  }
}

function isTree(value: unknown): value is EnvoyJson {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
