import type { ServiceCondition, TargetState } from '@flotilla/contract';
import { texts } from '../../texts/index.ts';
import type { Shape, Tone } from '../../ui/state.tsx';

const text = texts.services.condition;

export interface ConditionLook {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: Shape;
}

const LOOKS: Readonly<Record<ServiceCondition['state'], ConditionLook>> = {
  up_to_date: { word: text.upToDate, tone: 'good', shape: 'full' },
  in_progress: { word: text.inProgress, tone: 'busy', shape: 'arc' },
  with_errors: { word: text.withErrors, tone: 'bad', shape: 'triangle' },
  stopped: { word: text.stopped, tone: 'quiet', shape: 'square' },
  unreachable: { word: text.unreachable, tone: 'warn', shape: 'half' },
  partly_unreachable: { word: text.partlyUnreachable, tone: 'warn', shape: 'half' },
  not_deployed: { word: text.notDeployed, tone: 'quiet', shape: 'ring' },
};

/** Filter options: every condition with its label. */
export const CONDITION_OPTIONS: readonly { readonly value: string; readonly label: string }[] = Object.entries(
  LOOKS,
).map(([value, { word }]) => ({ value, label: word }));

/** Label of a service's condition, which says nothing about upstreams. */
export function lookOf(state: ServiceCondition['state']): ConditionLook {
  return LOOKS[state];
}

const LAST_KNOWN: Readonly<Record<TargetState, string>> = {
  up_to_date: text.lastKnown.serving,
  in_progress: text.lastKnown.inProgress,
  with_errors: text.lastKnown.withErrors,
  stopped: text.lastKnown.stopped,
};

/** `Unreachable (last known: serving)`. */
export function describeUnreachable(lastKnown: TargetState | null): string {
  return lastKnown === null ? text.unreachable : text.unreachableLast(LAST_KNOWN[lastKnown]);
}
