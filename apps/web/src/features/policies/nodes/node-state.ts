import { texts } from '../../../texts/index.ts';
import type { Tone } from '../../../ui/index.ts';
import type { PolicyNode } from '../model.ts';

const text = texts.policies.nodes.nodeState;

export interface NodeStanding {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: 'full' | 'half' | 'ring' | 'triangle' | 'square';
  readonly why: string;
}

type Told = Pick<
  PolicyNode,
  'current' | 'policy_error' | 'connected' | 'run_state' | 'shield_running' | 'live_revision'
>;

/** How a node stands to the newest text of the policy, worst first. What it last said counts, also while it is away. */
export function standingOf(node: Told): NodeStanding {
  const runs = node.live_revision === null ? text.textRanBefore : text.text(node.live_revision);
  if (node.policy_error && node.current !== true)
    return {
      word: text.word,
      tone: 'bad',
      shape: 'triangle',
      why: text.why(runs),
    };
  if (node.run_state === 'stopped')
    return { word: text.wordStopped, tone: 'quiet', shape: 'square', why: text.whyServiceStopped };
  if (!node.connected)
    return {
      word: text.wordOffline,
      tone: 'bad',
      shape: 'ring',
      why: node.current === true ? text.whyRanNewest : text.whyWhenLast(runs),
    };
  if (!node.shield_running)
    return {
      word: text.wordNoFilter,
      tone: 'bad',
      shape: 'triangle',
      why: text.whyFilterDoes,
    };
  if (node.current === true) return { word: text.wordCurrent, tone: 'good', shape: 'full', why: text.whyRunsNewest };
  if (node.current === false)
    return { word: text.wordOutdated, tone: 'warn', shape: 'half', why: text.whyOnItsWay(runs) };
  return { word: text.wordUnknown, tone: 'quiet', shape: 'ring', why: text.whyNotSaid };
}
