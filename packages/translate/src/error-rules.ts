import type { TranslationError } from './types.ts';

/** Whether the error keeps the resource from its node. Resources with weakened policies are still sent. */
export function preventsDelivery({ rule }: Pick<TranslationError, 'rule'>): boolean {
  return !rule.startsWith('shield.');
}
