import { AppError } from '@flotilla/kit';
import { type EffectivePolicy, type EngineBlock, loadPolicyFiles, type PolicyFile } from '@flotilla/policy';
import type { GuardedPolicies } from '@flotilla/translate';
import { buildPolicyBundle } from './bundles.ts';

/** What policies guard, without what filters alone look at; undefined where they do not load. */
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

/**
 * What the policies of a service guard, read as its filter reads them. Undefined for a service without policies, and where
 * they do not load, or only with more time or memory than a reading may have: the filter has the last word on those.
 */
export async function findGuardedPolicies(
  deps: Parameters<typeof buildPolicyBundle>[0],
  project: string,
  names: readonly string[],
): Promise<GuardedPolicies | undefined> {
  const bundle = await buildPolicyBundle(deps, project, names);
  if (bundle === undefined) return undefined;
  try {
    return await deps.reader.read(project, 'guarded', bundle.files);
  } catch (error) {
    if (error instanceof AppError && UNREADABLE.includes(error.code)) return undefined;
    throw error;
  }
}

const UNREADABLE: readonly string[] = ['policy.too_slow', 'policy.too_large'];
