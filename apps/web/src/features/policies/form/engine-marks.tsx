import { engineTitle } from './engine-names.ts';
import type { EngineSlot } from './policy-view.ts';
import { texts } from './texts.tsx';

const text = texts.engineMarks;

/** Lists the engines of a closed part in one line. */
export function EngineMarks({ slots }: { slots: readonly EngineSlot[] }) {
  const words = slots.flatMap(({ name, state }) => {
    if (state === 'own') return [engineTitle(name)];
    if (state === 'inherited') return [text.inherited(engineTitle(name))];
    return state === 'off' ? [text.switchedOff(engineTitle(name))] : [];
  });
  return <>{words.length === 0 ? text.none : words.join(', ')}</>;
}
