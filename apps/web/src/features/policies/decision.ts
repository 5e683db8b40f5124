import type { PolicyInBundle } from '@flotilla/contract';

export type Decision =
  | { readonly kind: 'asking' }
  /** The current text decided, as far as is known. */
  | { readonly kind: 'now' }
  | { readonly kind: 'earlier'; readonly revision: number }
  /** The policy has changed since, and its revisions do not show which one decided. */
  | { readonly kind: 'unknown' };

/** Finds the text that decided a request. Times as ISO 8601. `found` is undefined if the controller did not report it. */
export function judgeDecision(
  found: PolicyInBundle | undefined,
  { decidedAt, changedAt }: { readonly decidedAt: string | undefined; readonly changedAt: string },
): Decision {
  if (found?.current) return { kind: 'now' };
  if (typeof found?.revision === 'number') return { kind: 'earlier', revision: found.revision };
  const hasChanged = decidedAt === undefined || Date.parse(changedAt) > Date.parse(decidedAt);
  return { kind: hasChanged ? 'unknown' : 'now' };
}
