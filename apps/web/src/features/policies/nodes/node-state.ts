import type { Tone } from '../../../ui/index.ts';
import type { PolicyNode } from '../model.ts';

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
  const runs = node.live_revision === null ? 'what it ran before' : `revision ${node.live_revision}`;
  if (node.policy_error && node.current !== true)
    return {
      word: 'Refused',
      tone: 'bad',
      shape: 'triangle',
      why: `Its filter refused the newest text and runs ${runs}`,
    };
  if (node.run_state === 'stopped')
    return { word: 'Stopped', tone: 'quiet', shape: 'square', why: 'The service is stopped there' };
  if (!node.connected)
    return {
      word: 'Offline',
      tone: 'bad',
      shape: 'ring',
      why:
        node.current === true
          ? 'It ran the newest text when it was last heard of'
          : `When last heard of, it ran ${runs}`,
    };
  if (!node.shield_running)
    return {
      word: 'No filter',
      tone: 'bad',
      shape: 'triangle',
      why: 'The filter does not run: Envoy answers its requests with an error',
    };
  if (node.current === true) return { word: 'Current', tone: 'good', shape: 'full', why: 'Runs the newest text' };
  if (node.current === false)
    return { word: 'Outdated', tone: 'warn', shape: 'half', why: `Runs ${runs}; the newest text is on its way` };
  return { word: 'Unknown', tone: 'quiet', shape: 'ring', why: 'It has not said what it runs' };
}
