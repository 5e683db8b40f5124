import { parsePolicyDocument } from '@flotilla/policy';
import { fileNameOf, type OpenPolicy } from './model.ts';

/**
 * Finds the field in YAML and JSON without parsing. If its name is written with escapes, it is not found and the limit
 * is not divided.
 */
export const MAY_SHARE = '(^|[^a-z_])share[^a-z_]';

/** False, without parsing, for a text that cannot contain a shared limit. */
export function mayShareLimit(text: string): boolean {
  return new RegExp(MAY_SHARE).test(text);
}

/** Whether a limit of the policy is divided among the proxies that run it. */
export function hasSharedLimit({ name, text }: Pick<OpenPolicy, 'name' | 'text'>): boolean {
  if (!mayShareLimit(text)) return false;
  const parsed = parsePolicyDocument({ path: fileNameOf(name), content: text });
  if (!parsed.ok) return false;
  const holders = parsed.value.spec.domains.flatMap((domain) => [domain, ...(domain.routes ?? [])]);
  return holders.some(({ policy }) => {
    const limit = policy?.engines?.rate_limit;
    return typeof limit === 'object' && limit !== null && 'share' in limit && limit.share === 'fleet';
  });
}
