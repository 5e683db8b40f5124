import type {
  EffectiveDomain,
  EffectivePolicy,
  EffectiveRoute,
  EngineBlock,
  HostPattern,
  LoadedPolicies,
} from '@flotilla/policy';

/** An effective policy whose blocks are named by their order. */
export interface PackedPolicy extends Omit<EffectivePolicy, 'engines'> {
  readonly engines: readonly number[];
}

/** A piece of a bundle. Blocks come before the first policy that names them, routes behind their domain. */
export type PackedItem =
  | {
      readonly kind: 'block';
      readonly block: EngineBlock;
      /** The limiter that the first thread has made for it. */
      readonly limiterId?: number;
    }
  | { readonly kind: 'domain'; readonly hosts: readonly HostPattern[]; readonly policy: PackedPolicy }
  | { readonly kind: 'route'; readonly pathPrefix: string; readonly policy: PackedPolicy };

/** What is known of a bundle as a whole. */
export interface BundleHead {
  readonly digest: string;
  readonly policyNames: readonly string[];
  readonly domainCount: number;
}

export function headOf({ digest, policyNames, domains }: LoadedPolicies): BundleHead {
  return { digest, policyNames, domainCount: domains.length };
}

/**
 * A bundle in pieces of a size that does not matter: a message between threads that holds a whole bundle of ten thousand
 * routes holds up its receiver for longer than a request may wait. Which policies share a block survives.
 */
export function* packPolicies(domains: Iterable<EffectiveDomain>): Generator<PackedItem, void> {
  const numbers = new Map<EngineBlock, number>();
  function* blocksOf(policy: EffectivePolicy): Generator<PackedItem, void> {
    for (const block of policy.engines) {
      if (numbers.has(block)) continue;
      numbers.set(block, numbers.size);
      yield { kind: 'block', block };
    }
  }
  const pack = (policy: EffectivePolicy): PackedPolicy => ({
    ...policy,
    engines: policy.engines.map((block) => numbers.get(block) ?? 0),
  });
  for (const { hosts, policy, routes } of domains) {
    yield* blocksOf(policy);
    yield { kind: 'domain', hosts, policy: pack(policy) };
    for (const route of routes) {
      yield* blocksOf(route.policy);
      yield { kind: 'route', pathPrefix: route.pathPrefix, policy: pack(route.policy) };
    }
  }
}

/** The bundle again, of all its items. */
export function unpackPolicies(head: BundleHead, items: readonly PackedItem[]): LoadedPolicies {
  const blocks: EngineBlock[] = [];
  const domains: OpenDomain[] = [];
  const unpack = (policy: PackedPolicy): EffectivePolicy => ({
    ...policy,
    engines: policy.engines.flatMap((number) => blocks[number] ?? []),
  });
  for (const item of items) {
    if (item.kind === 'block') blocks.push(item.block);
    else if (item.kind === 'domain') domains.push({ hosts: item.hosts, policy: unpack(item.policy), routes: [] });
    else domains.at(-1)?.routes.push({ pathPrefix: item.pathPrefix, policy: unpack(item.policy) });
  }
  return { digest: head.digest, policyNames: head.policyNames, domains };
}

interface OpenDomain extends Omit<EffectiveDomain, 'routes'> {
  readonly routes: EffectiveRoute[];
}
