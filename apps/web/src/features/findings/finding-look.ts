import type { FindingEvidence, FindingView } from '@flotilla/contract';
import type { StateProps } from '../../ui/state.tsx';
import { texts } from './texts.tsx';

type Look = Required<Pick<StateProps, 'word' | 'tone' | 'shape'>>;

export const STATE_LOOKS: Readonly<Record<FindingView['state'], Look>> = {
  new: { word: texts.states.new, tone: 'bad', shape: 'triangle' },
  came_back: { word: texts.states.came_back, tone: 'bad', shape: 'triangle' },
  acknowledged: { word: texts.states.acknowledged, tone: 'busy', shape: 'half' },
  fix_claimed: { word: texts.states.fix_claimed, tone: 'busy', shape: 'arc' },
  accepted: { word: texts.states.accepted, tone: 'quiet', shape: 'square' },
  fixed: { word: texts.states.fixed, tone: 'good', shape: 'full' },
  operation_gone: { word: texts.states.operation_gone, tone: 'quiet', shape: 'ring' },
};

const OPEN: readonly FindingView['state'][] = ['new', 'came_back', 'acknowledged', 'fix_claimed', 'accepted'];

/** Whether people decide about it. */
export function isOpen(state: FindingView['state']): boolean {
  return OPEN.includes(state);
}

/** How much of the evidence there is, 0 to 1: the part that is furthest away counts. */
export function progressOf(evidence: FindingEvidence): number {
  const part = (has: number, needs: number) => (needs === 0 ? 1 : Math.min(1, has / needs));
  const parts = [part(evidence.requests, evidence.requests_needed), part(evidence.used_s, evidence.used_s_needed)];
  return Math.min(...parts, evidence.condition_met ? 1 : 0.9);
}
