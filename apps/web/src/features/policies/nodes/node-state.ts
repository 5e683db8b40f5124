import type { Tone } from '../../../ui/index.ts';
import type { PolicyNode } from '../model.ts';
import { texts } from './texts.tsx';

const text = texts.nodeState;

export interface NodeState {
  readonly word: string;
  readonly tone: Tone;
  readonly shape: 'full' | 'half' | 'ring' | 'triangle' | 'square';
  readonly why: string;
}

type NodeReport = Pick<
  PolicyNode,
  'current' | 'policy_error' | 'connected' | 'run_state' | 'shield_running' | 'live_revision'
>;

/**
 * Compares a node with the newest text of the policy. States are checked worst first. The last report counts, also while the node is
 * offline.
 */
export function deriveNodeState(node: NodeReport): NodeState {
  const runs = node.live_revision === null ? text.ranBefore : text.revision(node.live_revision);
  if (node.policy_error && node.current !== true)
    return {
      word: text.refused,
      tone: 'bad',
      shape: 'triangle',
      why: text.whyRefused(runs),
    };
  if (node.run_state === 'stopped') return { word: text.stopped, tone: 'quiet', shape: 'square', why: text.whyStopped };
  if (!node.connected)
    return {
      word: text.offline,
      tone: 'bad',
      shape: 'ring',
      why: node.current === true ? text.whyOfflineCurrent : text.whyOffline(runs),
    };
  if (!node.shield_running)
    return {
      word: text.noShield,
      tone: 'bad',
      shape: 'triangle',
      why: text.whyNoShield,
    };
  if (node.current === true) return { word: text.current, tone: 'good', shape: 'full', why: text.whyCurrent };
  if (node.current === false) return { word: text.outdated, tone: 'warn', shape: 'half', why: text.whyOutdated(runs) };
  return { word: text.unknown, tone: 'quiet', shape: 'ring', why: text.whyUnknown };
}
