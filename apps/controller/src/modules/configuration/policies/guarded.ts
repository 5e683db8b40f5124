import { AppError } from '@flotilla/kit';
import type { GuardedPolicies } from '@flotilla/translate';
import { buildPolicyBundle } from './bundles.ts';

/**
 * The protection by the policies of a service, read like its filter reads them. undefined for a service without
 * policies, and if they cannot be loaded, or not within the limits of an analysis: the filter decides about those.
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
