import type { ServiceCondition, ServiceRecord, ServiceStatus, ServiceWrite, TargetState } from '@flotilla/contract';

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

/** The desired state of a deployed target, and the last report of its agent. */
export interface TargetReport {
  readonly runState: 'running' | 'stopped';
  /** null: nothing was reported yet. */
  readonly phase: string | null;
  readonly rolloutState: string | null;
  /** The newest generation is not applied there. */
  readonly isBehind: boolean;
  /** It has active configuration errors; warnings do not count. */
  readonly hasErrors: boolean;
}

/** The state of a deployed target; `targetState` is the same in SQL. */
export function deriveTargetState({ runState, phase, rolloutState, ...report }: TargetReport): TargetState {
  if (report.hasErrors || phase === 'failed' || rolloutState === 'partial') return 'with_errors';
  if (phase === 'stopped' && !report.isBehind) return runState === 'stopped' ? 'stopped' : 'with_errors';
  if (phase !== 'running' || report.isBehind || rolloutState === 'in_progress') return 'in_progress';
  return 'up_to_date';
}

export interface KnownTarget extends TargetPresence {
  /** null: not deployed. */
  readonly state: TargetState | null;
}

const WORST_FIRST: readonly TargetState[] = ['with_errors', 'in_progress', 'stopped', 'up_to_date'];

/** The condition of all deployed targets; `conditionState` is the same in SQL. The caller supplies `reason`. */
export function deriveCondition(targets: readonly KnownTarget[], reason: string | null): ServiceCondition {
  const deployed = targets.filter((target) => target.deployed);
  const states = new Set(deployed.map(({ state }) => state ?? 'in_progress'));
  const connected = deployed.filter((target) => target.connected).length;
  const of = (state: ServiceCondition['state']) => ({ state, last_known: null, reason: null });
  if (deployed.length === 0) return of('not_deployed');
  if (connected === 0) {
    return { ...of('unreachable'), last_known: WORST_FIRST.find((state) => states.has(state)) ?? null };
  }
  if (states.has('with_errors')) return { ...of('with_errors'), reason };
  if (connected < deployed.length) return of('partly_unreachable');
  if (states.has('in_progress')) return of('in_progress');
  return of(states.has('up_to_date') ? 'up_to_date' : 'stopped');
}

/** One service on one client: the unit of snapshots, bootstraps and policy bundles. */
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

/** The user-editable part of a service, which the history stores. */
export type ServiceDocument = Omit<ServiceWrite, 'project'> & { readonly project: string };

export function toDocument(record: ServiceRecord): ServiceDocument {
  const { name, version, project, bootstrap, listeners, policies, shield, clients } = record;
  return { name, version, project, bootstrap, listeners, policies, shield, clients };
}

/** Returns a name that occurs twice in a list. The order of the list matters otherwise. */
export function findRepeated(names: readonly string[]): string | undefined {
  return names.find((name, i) => names.indexOf(name) !== i);
}
