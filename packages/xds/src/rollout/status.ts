import type { ResourceRef } from '../resource.ts';

export type ResourceState =
  /** It must wait for its dependencies, or Envoy has not requested it. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'sent' }
  | { readonly kind: 'acknowledged' }
  /** Active in Envoy: seen in its config dump or, for types without warming, acknowledged. */
  | { readonly kind: 'warmed' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Depends on a refused, held or cold resource; Envoy keeps the last acknowledged version of this one. */
  | { readonly kind: 'held'; readonly by: ResourceRef; readonly reason: string };

export interface ResourceStatus extends ResourceRef {
  /** The version in the target. */
  readonly version: string;
  readonly state: ResourceState;
  /** The version that Envoy runs now, if any. */
  readonly liveVersion: string | undefined;
}

/**
 * in_progress: the rollout can still proceed by itself. live: the whole target runs. partial: something is refused or
 * held; the rest runs.
 */
export type RolloutState = 'in_progress' | 'live' | 'partial';

export interface RolloutStatus {
  /** Version of the target. */
  readonly snapshotVersion: string;
  readonly state: RolloutState;
  readonly resources: readonly ResourceStatus[];
  /**
   * Resources that Envoy still has although they are not in the target, until nothing can use them. A rollout can be
   * live before they are removed.
   */
  readonly retiring: readonly ResourceRef[];
}
