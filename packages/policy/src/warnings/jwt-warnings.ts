import { isRecord } from '../engines/engine-spec.ts';
import type { Complaint } from '../problem.ts';
import { canMeet } from './api-key-warnings.ts';
import { listOf, type WrittenBlock } from './written-policy.ts';

/** Claims that are numbers in every accepted token (RFC 7519 section 4.1). */
const TIMES: ReadonlySet<unknown> = new Set(['exp', 'nbf', 'iat']);

/** `routePrefix`: the prefix of the block's route; undefined for a domain. */
export function findJwtWarnings({ value, path }: WrittenBlock, routePrefix: string | undefined): Complaint[] {
  const warnings: Complaint[] = [];
  const open = ['issuer', 'audience'].filter((field) => value[field] === undefined);
  if (open.length > 0) {
    const message = `takes tokens of any ${open.join(' and ')}, including tokens that the same key signed for others`;
    warnings.push({ path, rule: 'jwt.open_claims', message, at: 'key' });
  }
  for (const [index, binding] of listOf(value.require_claims_for_path).entries()) {
    if (!isRecord(binding) || typeof binding.path_prefix !== 'string') continue;
    const place = [...path, 'require_claims_for_path', index];
    if (TIMES.has(binding.claim)) {
      const message = 'is a time in every token and never text: every request to this path is blocked';
      warnings.push({ path: [...place, 'claim'], rule: 'jwt.binding_unsatisfiable', message });
    }
    if (routePrefix !== undefined && !canMeet(binding.path_prefix, routePrefix)) {
      const message = `is never used: the route covers only paths below ${routePrefix}`;
      warnings.push({ path: [...place, 'path_prefix'], rule: 'jwt.binding_unreachable', message });
    }
  }
  return warnings;
}
