import { isEqual } from '../document/diff.ts';
import type { ServiceDraft } from './draft.ts';

/** What somebody should know before they save, most serious first. `reached`: number of nodes that run the service. */
export function deriveWarnings(base: ServiceDraft | undefined, draft: ServiceDraft, reached: number): string[] {
  const warnings: string[] = [];
  const removed = (field: 'listeners' | 'policies') =>
    (base?.[field] ?? []).filter((name) => !draft[field].includes(name));
  if (draft.policies.length === 0) warnings.push('No policy: the filter lets every request through.');
  else if (removed('policies').length > 0)
    warnings.push(`Requests are no longer checked by ${removed('policies').join(', ')}.`);
  if (draft.listeners.length === 0) warnings.push('No listener: the service accepts no connections.');
  else if (removed('listeners').length > 0)
    warnings.push(`Envoy drains and closes ${removed('listeners').join(', ')}: new connections there are refused.`);
  if (base && reached > 0) {
    if (base.version !== draft.version)
      warnings.push(
        `Envoy ${base.version} is replaced by ${draft.version}. No connection is refused; what is still open after 15 s is cut. Versions that were set for single clients are forgotten.`,
      );
    else if (base.bootstrap !== draft.bootstrap)
      warnings.push(
        'Envoy is replaced by one with the other bootstrap. No connection is refused; what is still open after 15 s is cut.',
      );
    if (!isEqual(base.shield, draft.shield)) warnings.push('The filter takes its new settings on every node.');
  }
  return warnings;
}
