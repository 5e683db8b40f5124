import { create } from '@bufbuild/protobuf';
import { fleet } from '@flotilla/proto';
import type { ResourceStatus, RolloutStatus } from '@flotilla/xds';

const ROLLOUT_STATES = {
  in_progress: fleet.RolloutState.IN_PROGRESS,
  live: fleet.RolloutState.LIVE,
  partial: fleet.RolloutState.PARTIAL,
} as const;

const RESOURCE_STATES = {
  waiting: fleet.ResourceState.WAITING,
  sent: fleet.ResourceState.SENT,
  acknowledged: fleet.ResourceState.ACKNOWLEDGED,
  warmed: fleet.ResourceState.WARMED,
  refused: fleet.ResourceState.REFUSED,
  held: fleet.ResourceState.HELD,
} as const;

/** Limit of Envoy's error text, because a refusal can quote a whole resource. */
const REASON_MAX_CHARS = 4000;

/** Returns the state of each resource of the node as a message for the controller. */
export function toRolloutReport(nodeId: string, status: RolloutStatus): fleet.RolloutReport {
  return create(fleet.RolloutReportSchema, {
    nodeId,
    snapshotVersion: status.snapshotVersion,
    state: ROLLOUT_STATES[status.state],
    resources: status.resources.map(toResourceReport),
  });
}

function toResourceReport({ typeUrl, name, version, state, liveVersion }: ResourceStatus) {
  return {
    typeUrl,
    name,
    version,
    state: RESOURCE_STATES[state.kind],
    reason: describe(state).slice(0, REASON_MAX_CHARS),
    liveVersion: liveVersion ?? '',
  };
}

function describe(state: ResourceStatus['state']): string {
  switch (state.kind) {
    case 'refused':
      return state.reason;
    case 'held':
      return `${state.reason} (held back by ${state.by.typeUrl.split('.').at(-1)} "${state.by.name}")`;
    default:
      return '';
  }
}
