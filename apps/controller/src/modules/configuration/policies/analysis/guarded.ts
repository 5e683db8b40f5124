import { type EffectivePolicy, type EngineBlock, loadPolicyFiles, type PolicyFile } from '@flotilla/policy';
import type { GuardedPolicies } from '@flotilla/translate';

/** The protection by the policies, without the parts that only filters use; undefined if they cannot be loaded. */
export function readGuarded(files: readonly PolicyFile[]): GuardedPolicies | undefined {
  const loaded = loadPolicyFiles(files);
  if (!loaded.ok) return undefined;
  const { digest, domains } = loaded.value;
  const shortened = new Map<readonly EngineBlock[], readonly EngineBlock[]>();
  const shorten = (policy: EffectivePolicy): EffectivePolicy => {
    const engines = shortened.get(policy.engines) ?? policy.engines.map(shortenBlock);
    shortened.set(policy.engines, engines);
    return { ...policy, engines };
  };
  return {
    digest,
    domains: domains.map(({ hosts, policy, routes }) => ({
      hosts,
      policy: shorten(policy),
      routes: routes.map((route) => ({ ...route, policy: shorten(route.policy) })),
    })),
  };
}

function shortenBlock(block: EngineBlock): EngineBlock {
  if (block.engine !== 'graphql') return { ...block, carryKeys: [] };
  return { ...block, options: { ...block.options, trustedDocuments: null }, carryKeys: [] };
}
