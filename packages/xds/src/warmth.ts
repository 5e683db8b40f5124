import type { Resource, ResourceKey } from './resource.ts';

/**
 * Looks whether Envoy really uses resources that it acknowledged. Resolves to the keys of those that are active in
 * exactly this version. Rejects when Envoy could not be asked.
 */
export interface WarmthProbe {
  check(resources: readonly Resource[], signal: AbortSignal): Promise<ReadonlySet<ResourceKey>>;
}
