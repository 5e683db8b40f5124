import type { Health, HealthReason, HealthState, NodeHealth } from '@flotilla/contract';
import { HEALTH_REASONS_MAX } from '@flotilla/contract';
import type { TargetPresence } from './model.ts';

/**
 * Whether the listeners of the newest configuration accept connections. `waiting`: some do not yet, without an error. `unknown`: the
 * agent has not reported any.
 */
export type ServingListeners = 'all' | 'some' | 'none' | 'waiting' | 'unknown';

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
  readonly listeners: ServingListeners;
  /** Its traffic gives reasons: unhealthy upstreams or rising errors. */
  readonly hasTrafficReasons: boolean;
}

/** The health of a deployed target; `targetHealth` is the same in SQL. */
export function deriveNodeHealth({ runState, phase, rolloutState, isBehind, ...report }: TargetReport): NodeHealth {
  if (phase === 'stopped' && !isBehind) return runState === 'stopped' ? 'stopped' : 'failed';
  if (phase === 'failed' || (phase === null && report.hasErrors)) return 'failed';
  const isApplied = phase === 'running' && !isBehind && rolloutState !== 'in_progress';
  const isSettled = isApplied && report.listeners !== 'waiting';
  if (isSettled && report.listeners === 'none') return 'failed';
  if (report.hasErrors || rolloutState === 'partial') return 'degraded';
  if (isSettled && report.listeners === 'some') return 'degraded';
  if (phase === 'running' && report.hasTrafficReasons) return 'degraded';
  return isSettled ? 'live' : 'in_progress';
}

export interface KnownTarget extends TargetPresence {
  /** null: not deployed. */
  readonly state: NodeHealth | null;
}

const WORST_FIRST: readonly NodeHealth[] = ['failed', 'degraded', 'in_progress', 'live', 'stopped'];

/** The health of all deployed targets; `healthState` is the same in SQL. */
export function deriveHealthState(targets: readonly KnownTarget[]): Pick<Health, 'state' | 'last_known'> {
  const deployed = targets.filter((target) => target.deployed);
  const states = new Set(deployed.map(({ state }) => state ?? 'in_progress'));
  const of = (state: HealthState) => ({ state, last_known: null });
  if (deployed.length === 0) return of('not_deployed');
  if (!deployed.some(({ connected }) => connected))
    return { state: 'unreachable', last_known: WORST_FIRST.find((state) => states.has(state)) ?? null };
  if (states.has('failed') && [...states].every((state) => state === 'failed' || state === 'stopped'))
    return of('failed');
  const isAway = deployed.some(({ connected, state }) => !connected && state !== 'stopped');
  if (isAway || states.has('failed') || states.has('degraded')) return of('degraded');
  if (states.has('in_progress')) return of('in_progress');
  return of(states.has('live') ? 'live' : 'stopped');
}

/** The problems of a node, as far as they were reported. */
export interface NodeFindings {
  readonly client_id: string;
  readonly client_name: string;
  readonly phase: string | null;
  readonly run_state: 'running' | 'stopped';
  readonly agent_error: string | null;
  readonly listeners: ReadonlyArray<{
    readonly name: string;
    readonly serving: boolean;
    readonly error: string | null;
  }>;
  /** Active configuration errors, the worst first. */
  readonly errors: ReadonlyArray<{ readonly name: string; readonly message: string }>;
  readonly traffic: ReadonlyArray<
    Pick<HealthReason, 'message' | 'name'> & {
      readonly code: 'unhealthy_upstream' | 'rising_errors';
      readonly endpoints: readonly string[];
    }
  >;
}

/** The reasons for the health of one node, the worst first. */
export function deriveReasons(node: NodeFindings): HealthReason[] {
  const common = { client_id: node.client_id, endpoints: [] };
  const isDown = node.phase === 'failed' || (node.phase === 'stopped' && node.run_state === 'running');
  return [
    ...(isDown
      ? [{ ...common, code: 'not_running' as const, message: node.agent_error ?? 'The proxy does not run', name: null }]
      : []),
    ...node.listeners
      .filter(({ serving, error }) => !serving && error !== null)
      .map(({ name, error }) => ({
        ...common,
        code: 'listener_not_serving' as const,
        message: `Listener "${name}" accepts no connections: ${error}`,
        name,
      })),
    ...node.errors.map(({ name, message }) => ({ ...common, code: 'configuration_error' as const, message, name })),
    ...node.traffic.map(({ endpoints, ...reason }) => ({ ...common, ...reason, endpoints: [...endpoints] })),
  ].slice(0, HEALTH_REASONS_MAX);
}

type FoundTarget = KnownTarget & NodeFindings;

/** The health of a service with its reasons: those of failed nodes, then of degraded ones, then agents that are away. */
export function deriveHealth(targets: readonly FoundTarget[]): Health {
  const known = deriveHealthState(targets);
  const explained = known.state === 'unreachable' ? known.last_known : known.state;
  if (explained !== 'failed' && explained !== 'degraded') return { ...known, reasons: [] };
  const deployed = targets.filter((target) => target.deployed);
  const reasonsOf = (wanted: NodeHealth) =>
    deployed.filter(({ state }) => state === wanted).flatMap((target) => deriveReasons(target));
  const away = deployed
    .filter(({ connected, state }) => known.state === 'degraded' && !connected && state !== 'stopped')
    .map(
      ({ client_id, client_name }): HealthReason => ({
        code: 'agent_away',
        message: `The agent of ${client_name} is not connected. Its proxy keeps running with its last configuration`,
        client_id,
        name: null,
        endpoints: [],
      }),
    );
  const reasons = [...reasonsOf('failed'), ...reasonsOf('degraded'), ...away];
  return { ...known, reasons: reasons.slice(0, HEALTH_REASONS_MAX) };
}
