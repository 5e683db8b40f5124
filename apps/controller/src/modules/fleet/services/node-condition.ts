import type { TargetState } from '@flotilla/contract';

/** The worst active configuration error of a node. */
export interface NodeError {
  readonly message: string;
  readonly activeSince: Date | null;
}

export interface ConditionFacts {
  readonly state: TargetState | null;
  readonly connected: boolean;
  /** When the agent's connection was lost, if it is not connected. */
  readonly disconnectedAt: Date | null;
  readonly error: NodeError | undefined;
  /** When the processes entered their phase, as reported by the agent. */
  readonly phaseSince: string | null;
  /** The agent's error for a failed phase or change. */
  readonly agentError: string | null;
  readonly rolloutAt: Date | null;
  /** The first resource that Envoy refused or that a refused one holds back. */
  readonly refusal: string | null;
}

/** The state of a node with its reason and start; see `nodeConditionFields`. */
export function deriveNodeCondition({ state, ...facts }: ConditionFacts) {
  return {
    state,
    state_reason: state === 'with_errors' ? (facts.error?.message ?? facts.refusal ?? facts.agentError) : null,
    state_since: state === null ? null : sinceOf(state, facts),
  };
}

function sinceOf(state: TargetState, facts: Omit<ConditionFacts, 'state'>): string | null {
  if (!facts.connected) return facts.disconnectedAt?.toISOString() ?? null;
  switch (state) {
    case 'with_errors': {
      if (facts.error) return facts.error.activeSince?.toISOString() ?? null;
      return facts.refusal === null ? facts.phaseSince : (facts.rolloutAt?.toISOString() ?? null);
    }
    case 'in_progress':
      // Agents report progress, but not when it started.
      return null;
    default:
      return facts.phaseSince;
  }
}
