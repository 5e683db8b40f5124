import type { ServiceRecord, ServiceStatus, ServiceWrite } from '@flotilla/contract';

/** The facts of a target that determine the status of a service. */
export interface TargetPresence {
  readonly deployed: boolean;
  readonly connected: boolean;
}

/**
 * The specification's table "Service status". Listed targets without a deployment do not count: a service that runs
 * nowhere is not Live because a possible host is connected.
 */
export function deriveServiceStatus(targets: readonly TargetPresence[]): ServiceStatus {
  const deployed = targets.filter((target) => target.deployed);
  const connected = deployed.filter((target) => target.connected).length;
  if (deployed.length === 0) return 'Not Deployed';
  if (connected === 0) return 'Offline';
  return connected === deployed.length ? 'Live' : 'Partial';
}

/** One service on one client: the unit of snapshots, bootstraps and policy bundles. */
export interface ServiceNode {
  readonly serviceId: string;
  readonly name: string;
  readonly projectId: string;
  /** Proxy version of the documents. */
  readonly version: string;
  /** Proxy version that runs on this client: `version` unless DATAPLANE_VERSION or UPGRADE_LISTENER set another. */
  readonly envoyVersion: string;
  /** Seconds in which a replaced Envoy may finish its connections. Undefined: the agent's default. */
  readonly drainTimeS: number | undefined;
  readonly bootstrap: string;
  readonly listeners: readonly string[];
  readonly policies: readonly string[];
  readonly shield: { readonly threads: number; readonly xffTrustedHops: number };
  readonly apiDiscovery: boolean;
  readonly client: {
    readonly id: string;
    readonly addresses: readonly string[];
    readonly runtimeDir: string;
    readonly dataDir: string;
  };
  readonly adminPort: number;
  readonly runState: 'running' | 'stopped';
  readonly generation: number;
}

/** The user-editable part of a service, which the history stores. */
export type ServiceDocument = Omit<ServiceWrite, 'project'> & { readonly project: string };

export function toDocument(record: ServiceRecord): ServiceDocument {
  const { name, version, project, bootstrap, listeners, policies, shield, api_discovery, clients } = record;
  return { name, version, project, bootstrap, listeners, policies, shield, api_discovery, clients };
}

/** Returns a name that occurs twice in a list. The order of the list matters otherwise. */
export function findRepeated(names: readonly string[]): string | undefined {
  return names.find((name, i) => names.indexOf(name) !== i);
}
