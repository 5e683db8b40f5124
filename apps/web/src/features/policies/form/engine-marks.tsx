import { engineTitle } from './engine-names.ts';
import type { EngineSlot } from './policy-view.ts';

/** What guards a closed part, in one line. */
export function EngineMarks({ slots }: { slots: readonly EngineSlot[] }) {
  const words = slots.flatMap(({ name, state }) => {
    if (state === 'own') return [engineTitle(name)];
    if (state === 'inherited') return [`${engineTitle(name)} (inherited)`];
    return state === 'off' ? [`no ${engineTitle(name)} (switched off)`] : [];
  });
  return <>{words.length === 0 ? 'no engine' : words.join(', ')}</>;
}
