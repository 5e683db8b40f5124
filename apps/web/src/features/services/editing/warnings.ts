import { isEqual } from '../../../changes/diff-json.ts';
import type { ServiceDraft } from './draft.ts';
import { texts } from './texts.tsx';

const text = texts.warnings;

/** Addresses in the dry run; see the contract. */
interface Addresses {
  readonly client_listeners: readonly string[];
  readonly missing_addresses: readonly string[];
}

export interface PlanFacts {
  /** Number of nodes that run the service. */
  readonly reached: number;
  readonly addresses: Addresses;
}

/** Returns the warnings to show before saving, most serious first. */
export function deriveWarnings(
  base: ServiceDraft | undefined,
  draft: ServiceDraft,
  { reached, addresses }: PlanFacts,
): string[] {
  const warnings: string[] = [];
  const { client_listeners: listeners, missing_addresses: missing } = addresses;
  if (missing.length > 0) warnings.push(text.addressMissing(missing.length, listeners.join(', ')));
  const removed = (field: 'listeners' | 'policies') =>
    (base?.[field] ?? []).filter((name) => !draft[field].includes(name));
  if (draft.policies.length === 0) warnings.push(text.noPolicy);
  else if (removed('policies').length > 0) warnings.push(text.policiesRemoved(removed('policies').join(', ')));
  if (draft.listeners.length === 0) warnings.push(text.noListener);
  else if (removed('listeners').length > 0) warnings.push(text.listenersRemoved(removed('listeners').join(', ')));
  if (base && reached > 0) {
    if (base.version !== draft.version) warnings.push(text.versionReplaced(base.version, draft.version));
    else if (base.bootstrap !== draft.bootstrap) warnings.push(text.bootstrapReplaced);
    if (!isEqual(base.shield, draft.shield)) warnings.push(text.shieldChanged);
    if (base.api_discovery !== draft.api_discovery) warnings.push(text.discoveryChanged);
  }
  return warnings;
}
