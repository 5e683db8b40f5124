import type { ServiceRecord, ServiceStatus, ServiceWrite } from '@flotilla/contract';

/** Client and connection of one target, as far as the status of a service needs them. */
export interface TargetPresence {
  readonly deployed: boolean;
  readonly connected: boolean;
}

/**
 * The specification's table "Service status". Targets that are only listed do not count: a service that runs nowhere is
 * not Live because a host it might run on is connected.
 */
export function deriveServiceStatus(targets: readonly TargetPresence[]): ServiceStatus {
  const deployed = targets.filter((target) => target.deployed);
  const connected = deployed.filter((target) => target.connected).length;
  if (deployed.length === 0) return 'Not Deployed';
  if (connected === 0) return 'Offline';
  return connected === deployed.length ? 'Live' : 'Partial';
}

/** One service on one client: what a snapshot, a bootstrap and a policy bundle are made for. */
export interface ServiceNode {
  readonly serviceId: string;
  readonly name: string;
  readonly projectId: string;
  /** Proxy version of the documents. */
  readonly version: string;
  /** Proxy version that runs on this client: `version` unless DATAPLANE_VERSION set another. */
  readonly envoyVersion: string;
  readonly bootstrap: string;
  readonly listeners: readonly string[];
  readonly policies: readonly string[];
  readonly shield: { readonly threads: number; readonly xffTrustedHops: number };
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

/** The part of a service that people write; what history keeps. */
export type ServiceDocument = Omit<ServiceWrite, 'project'> & { readonly project: string };

export function toDocument(record: ServiceRecord): ServiceDocument {
  const { name, version, project, bootstrap, listeners, policies, shield, clients } = record;
  return { name, version, project, bootstrap, listeners, policies, shield, clients };
}

/** Names written twice in one list, e.g. a listener; order in the list is otherwise meant. */
export function findRepeated(names: readonly string[]): string | undefined {
  return names.find((name, i) => names.indexOf(name) !== i);
}

/** RFC 7396: null removes, objects merge, everything else replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const merged: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = mergePatch(merged[key], value);
  }
  return merged;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
