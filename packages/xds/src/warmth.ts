import type { Resource, ResourceKey } from './resource.ts';

/**
 * Checks whether Envoy uses resources that it acknowledged. Resolves to the keys of those that are active in this
 * version. Rejects if Envoy could not be asked.
 */
export interface WarmthProbe {
  check(resources: readonly Resource[], signal: AbortSignal): Promise<ReadonlySet<ResourceKey>>;
}
