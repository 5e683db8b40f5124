import * as z from 'zod';
import { normalizePath } from '../path.ts';
import type { Complaint } from '../problem.ts';
import { isRecord } from './engine-spec.ts';

/** What a token has to claim where a path lies under a prefix. */
export interface ClaimBinding {
  /** In the router's reading. A plain prefix: `/admin` also guards `/administrator`. */
  readonly pathPrefix: string;
  /** The prefix ends at a segment's end: it guards `/admin`, `/admin/` and all below, not `/administrator`. */
  readonly wholeSegments: boolean;
  /** Of the top level. */
  readonly claim: string;
  /** One of them is enough. */
  readonly anyOf: readonly string[];
}

export const claimBindingField = z.strictObject({
  path_prefix: z.string().startsWith('/'),
  whole_segments: z.boolean().optional(),
  claim: z.string().min(1).max(256),
  any_of: z.array(z.string().min(1).max(256)).min(1).max(64),
});

/** Claims whose text is a list (RFC 8693 section 4.2; `scp` is what Entra and Okta call it). */
const SCOPE_CLAIMS: ReadonlySet<string> = new Set(['scope', 'scp']);

export function isScopeClaim(claim: string): boolean {
  return SCOPE_CLAIMS.has(claim);
}

/** Rules within the bindings of a block, whatever shape they have. Paths are those within the block. */
export function checkClaimBindings(written: unknown): Complaint[] {
  if (!Array.isArray(written)) return [];
  return written.flatMap((binding: unknown, index): Complaint[] => {
    if (!isRecord(binding) || !Array.isArray(binding.any_of)) return [];
    const texts: readonly unknown[] = binding.any_of;
    const isScope = typeof binding.claim === 'string' && isScopeClaim(binding.claim);
    return texts.flatMap((text, at): Complaint[] => {
      const path = ['require_claims_for_path', index, 'any_of', at];
      if (texts.indexOf(text) < at) return [{ path, rule: 'jwt.any_of', message: 'is listed already' }];
      if (!isScope || typeof text !== 'string' || !/\s/.test(text)) return [];
      return [
        { path, rule: 'jwt.any_of', message: 'holds white space, which no scope does: write one scope per entry' },
      ];
    });
  });
}

export function toClaimBinding(written: z.output<typeof claimBindingField>): ClaimBinding {
  return {
    pathPrefix: normalizePath(written.path_prefix),
    wholeSegments: written.whole_segments ?? false,
    claim: written.claim,
    anyOf: written.any_of,
  };
}
