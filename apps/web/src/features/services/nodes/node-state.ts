import type { Shape, Tone } from '../../../ui/state.tsx';
import type { NodeResource, ServiceNode } from '../types.ts';

export interface NodeState {
  /** A word that <State> knows, or one with tone and shape of its own. */
  readonly word: string;
  readonly tone?: Tone;
  readonly shape?: Shape;
  readonly why: string;
}

export interface ResourceCounts {
  readonly total: number;
  readonly live: number;
  readonly refused: number;
  readonly held: number;
}

export function countResources(node: ServiceNode): ResourceCounts {
  const resources = node.rollout?.resources ?? [];
  const count = (state: NodeResource['state']) => resources.filter((one) => one.state === state).length;
  return { total: resources.length, live: count('warmed'), refused: count('refused'), held: count('held') };
}

/** A node has not applied what it should run. */
export function isBehind(node: ServiceNode): boolean {
  return node.deployed && node.applied_generation < node.generation;
}

/** What a node does, worst first: one word, and why. */
export function deriveNodeState(node: ServiceNode): NodeState {
  const { total, live, refused, held } = countResources(node);
  if (!node.deployed)
    return {
      word: 'Not Deployed',
      why:
        node.phase && node.phase !== 'removed' ? 'On its way out' : 'Listed, with its port reserved; runs nothing yet',
    };
  if (!node.connected)
    return {
      word: 'Offline',
      why: 'The client is not connected. Its proxy runs on with what it has; that cannot be seen from here',
    };
  if (node.phase === null) return { word: 'Waiting', why: 'The client has said nothing of this service yet' };
  if (node.phase === 'failed') return { word: 'Failed', why: node.error ?? 'The client gives no reason' };
  if (refused > 0)
    return { word: 'Refused', why: `Envoy refused ${refused} of ${total} resources and runs the last good ones` };
  if (node.policy_error) return { word: 'Refused', why: `The filter refused its policies: ${node.policy_error}` };
  if (node.phase === 'stopped')
    return node.run_state === 'stopped'
      ? { word: 'Stopped', why: 'Stopped by a command' }
      : { word: 'Stopped', tone: 'bad', shape: 'square', why: 'Stopped, but it should run' };
  if (isBehind(node) || node.rollout?.state === 'in_progress')
    return {
      word: total > 0 && live < total ? `Rolling out ${live} of ${total}` : 'Rolling out',
      tone: 'busy',
      shape: 'arc',
      why: isBehind(node)
        ? `Generation ${node.generation} is wanted, ${node.applied_generation} is applied`
        : 'Envoy is taking the newest resources',
    };
  if (held > 0) return { word: 'Held', why: `${held} of ${total} resources wait for others that were refused` };
  if (node.phase === 'preparing')
    return { word: 'Preparing', why: 'The client fetches, checks or starts what it needs' };
  if (node.phase === 'removed') return { word: 'Removed', why: 'The client has removed everything of the service' };
  return { word: 'Running', why: `All ${total} resources are in use` };
}

const TONES: Readonly<Record<string, number>> = {
  Failed: 0,
  Refused: 0,
  Offline: 1,
  Held: 2,
  Waiting: 3,
  Preparing: 3,
};

/** What needs a look first, then what is under way, then by name. */
export function sortNodes(nodes: readonly ServiceNode[]): ServiceNode[] {
  const rank = (node: ServiceNode) => {
    const { word, tone } = deriveNodeState(node);
    if (tone === 'bad') return 0;
    return tone === 'busy' ? 3 : (TONES[word] ?? 4);
  };
  return nodes.toSorted(
    (a, b) => rank(a) - rank(b) || a.client_name.localeCompare(b.client_name, undefined, { numeric: true }),
  );
}

/** By client, address, version or state, without regard to case. */
export function fitsNode(node: ServiceNode, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  const words = [node.client_name, ...node.addresses, node.envoy_version ?? '', deriveNodeState(node).word];
  return words.some((word) => word.toLowerCase().includes(wanted));
}
