import type { HealthReason, NodeHealth } from '@flotilla/contract';

export interface NodeFacts {
  readonly state: NodeHealth | null;
  readonly reasons: readonly HealthReason[];
  readonly connected: boolean;
  /** When the agent's connection was lost, if it is not connected. */
  readonly disconnectedAt: Date | null;
  /** Start of the worst active configuration error. */
  readonly errorSince: Date | null;
  /** When the processes entered their phase, as reported by the agent. */
  readonly phaseSince: string | null;
  readonly rolloutAt: Date | null;
  /** Start of the oldest problem of an endpoint. */
  readonly problemSince: Date | null;
}

/** When the state of a node began; null: not known. For a disconnected agent, when the connection was lost. */
export function findStateSince({ state, reasons, ...facts }: NodeFacts): string | null {
  if (state === null) return null;
  if (!facts.connected) return facts.disconnectedAt?.toISOString() ?? null;
  switch (state) {
    case 'failed':
    case 'degraded': {
      const code = reasons[0]?.code;
      if (code === 'configuration_error') return (facts.errorSince ?? facts.rolloutAt)?.toISOString() ?? null;
      if (code === 'unhealthy_upstream') return facts.problemSince?.toISOString() ?? null;
      return code === 'not_running' ? facts.phaseSince : null;
    }
    case 'in_progress':
      // Agents report progress, but not when it started.
      return null;
    case 'live':
    case 'stopped':
      return facts.phaseSince;
  }
}
