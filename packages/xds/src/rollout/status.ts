import type { ResourceRef } from '../resource.ts';

export type ResourceState =
  /** Its turn has not come, or Envoy has not asked for it. */
  | { readonly kind: 'waiting' }
  | { readonly kind: 'sent' }
  | { readonly kind: 'acknowledged' }
  /** Active in Envoy: seen in its config dump, or in use by its nature once acknowledged. */
  | { readonly kind: 'warmed' }
  | { readonly kind: 'refused'; readonly reason: string }
  /** Depends on a refused, held or never warming resource; Envoy keeps the last acknowledged version of this one. */
  | { readonly kind: 'held'; readonly by: ResourceRef; readonly reason: string };

export interface ResourceStatus extends ResourceRef {
  /** Wanted. */
  readonly version: string;
  readonly state: ResourceState;
  /** What Envoy runs now; undefined when nothing. */
  readonly liveVersion: string | undefined;
}

/** in_progress: something may still move by itself. live: all of it runs. partial: the rest runs, something is refused or held. */
export type RolloutState = 'in_progress' | 'live' | 'partial';

export interface RolloutStatus {
  /** Of the target. */
  readonly snapshotVersion: string;
  readonly state: RolloutState;
  readonly resources: readonly ResourceStatus[];
  /** No longer in the target and still at Envoy, until nothing can use it. They do not keep a rollout from being live. */
  readonly retiring: readonly ResourceRef[];
}
