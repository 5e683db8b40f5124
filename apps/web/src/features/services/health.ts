import type { HealthState, NodeHealth } from '@flotilla/contract';
import type { Shape, Tone } from '../../ui/state.tsx';
import { texts } from './health-texts.ts';

const text = texts;

export interface HealthLook {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: Shape;
}

const LOOKS: Readonly<Record<HealthState, HealthLook>> = {
  live: { word: text.live, tone: 'good', shape: 'full' },
  in_progress: { word: text.inProgress, tone: 'busy', shape: 'arc' },
  degraded: { word: text.degraded, tone: 'warn', shape: 'triangle' },
  failed: { word: text.failed, tone: 'bad', shape: 'triangle' },
  stopped: { word: text.stopped, tone: 'quiet', shape: 'square' },
  unreachable: { word: text.unreachable, tone: 'warn', shape: 'half' },
  not_deployed: { word: text.notDeployed, tone: 'quiet', shape: 'ring' },
};

/** Filter options: every state with its label. */
export const HEALTH_OPTIONS: readonly { readonly value: string; readonly label: string }[] = Object.entries(LOOKS).map(
  ([value, { word }]) => ({ value, label: word }),
);

export function lookOf(state: HealthState): HealthLook {
  return LOOKS[state];
}

const LAST_KNOWN: Readonly<Record<NodeHealth, string>> = {
  live: text.lastKnown.live,
  degraded: text.lastKnown.degraded,
  failed: text.lastKnown.failed,
  in_progress: text.lastKnown.inProgress,
  stopped: text.lastKnown.stopped,
};

/** Returns `Unreachable (last known: serving)`. */
export function describeUnreachable(lastKnown: NodeHealth | null): string {
  return lastKnown === null ? text.unreachable : text.unreachableLast(LAST_KNOWN[lastKnown]);
}
