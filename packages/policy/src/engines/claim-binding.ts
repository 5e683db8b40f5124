import * as z from 'zod';
import { normalizePath } from '../path.ts';
import type { Complaint } from '../problem.ts';
import { isRecord } from './engine-spec.ts';

/** A claim that tokens need for paths under a prefix. */
export interface ClaimBinding {
  /** As the router reads it. A plain prefix: `/admin` also protects `/administrator`. */
  readonly pathPrefix: string;
  /**
   * The prefix ends at a segment boundary: it protects `/admin`, `/admin/` and everything below, but not
   * `/administrator`.
   */
  readonly wholeSegments: boolean;
  /** A top-level claim. */
  readonly claim: string;
  /** One of these values is enough. */
  readonly anyOf: readonly string[];
}

export const claimBindingField = z
  .strictObject({
    path_prefix: z
      .string()
      .startsWith('/')
      .describe('Prefix of the paths to protect: "/admin" also matches "/administrator"'),
    claim: z
      .string()
      .min(1)
      .max(256)
      .describe('Claim of the token. scope and scp are space-separated lists; other values are compared as a whole'),
    any_of: z
      .array(z.string().min(1).max(256))
      .min(1)
      .max(64)
      .describe('The claim must equal or contain one of these values'),
    whole_segments: z.boolean().optional().meta({
      description: 'Matches "/admin" and everything below it, but not "/administrator"',
      default: false,
    }),
  })
  .meta({ title: 'ClaimBinding' });

/** Claims whose text is a list (RFC 8693 section 4.2; Entra and Okta call it `scp`). */
const SCOPE_CLAIMS: ReadonlySet<string> = new Set(['scope', 'scp']);

export function isScopeClaim(claim: string): boolean {
  return SCOPE_CLAIMS.has(claim);
}

/** Checks the bindings of a block, which may have any shape. Paths are relative to the block. */
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
      return [{ path, rule: 'jwt.any_of', message: 'contains white space: write one scope per entry' }];
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
