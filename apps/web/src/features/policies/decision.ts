import type { PolicyInBundle } from '@flotilla/contract';

export type Decision =
  | { readonly kind: 'asking' }
  /** The text of now decided, as far as it can be told. */
  | { readonly kind: 'now' }
  | { readonly kind: 'earlier'; readonly revision: number }
  /** The policy has changed since, and its revisions do not tell which of them it was. */
  | { readonly kind: 'unknown' };

/** Times as ISO 8601. `found` is undefined where the controller did not say. */
export function judgeDecision(
  found: PolicyInBundle | undefined,
  { decidedAt, changedAt }: { readonly decidedAt: string | undefined; readonly changedAt: string },
): Decision {
  if (found?.current) return { kind: 'now' };
  if (typeof found?.revision === 'number') return { kind: 'earlier', revision: found.revision };
  const hasChanged = decidedAt === undefined || Date.parse(changedAt) > Date.parse(decidedAt);
  return { kind: hasChanged ? 'unknown' : 'now' };
}
