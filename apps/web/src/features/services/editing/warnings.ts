import { texts } from '../../../texts/index.ts';
import { isEqual } from '../document/diff.ts';
import type { ServiceDraft } from './draft.ts';

const text = texts.services.editing.warnings;

/** What somebody should know before they save, most serious first. `reached`: number of nodes that run the service. */
export function deriveWarnings(base: ServiceDraft | undefined, draft: ServiceDraft, reached: number): string[] {
  const warnings: string[] = [];
  const removed = (field: 'listeners' | 'policies') =>
    (base?.[field] ?? []).filter((name) => !draft[field].includes(name));
  if (draft.policies.length === 0) warnings.push(text.textNoPolicy);
  else if (removed('policies').length > 0) warnings.push(text.text(removed('policies').join(', ')));
  if (draft.listeners.length === 0) warnings.push(text.textNoListener);
  else if (removed('listeners').length > 0) warnings.push(text.textEnvoyDrains(removed('listeners').join(', ')));
  if (base && reached > 0) {
    if (base.version !== draft.version) warnings.push(text.versionReplaced(base.version, draft.version));
    else if (base.bootstrap !== draft.bootstrap) warnings.push(text.textEnvoyReplaced);
    if (!isEqual(base.shield, draft.shield)) warnings.push(text.textFilterTakes);
  }
  return warnings;
}
