import type { Shape, Tone } from '../../../ui/state.tsx';
import { describeUnreachable, lookOf } from '../health.ts';
import type { NodeResource, ServiceNode } from '../types.ts';
import { texts } from './texts.tsx';

const wording = texts.nodeState;

export interface NodeState {
  /** One of the words that <State> knows, or any other with its own tone and shape. */
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

/** Whether the node has not applied its desired state. */
export function isBehind(node: ServiceNode): boolean {
  return node.deployed && node.applied_generation < node.generation;
}

/** Returns the worst state of a node: one word with its reason. */
export function deriveNodeState(node: ServiceNode): NodeState {
  const { total, live, refused, held } = countResources(node);
  if (!node.deployed)
    return {
      word: wording.notDeployed,
      why: node.phase && node.phase !== 'removed' ? wording.whyLeaving : wording.whyListed,
    };
  if (!node.connected)
    return {
      word: describeUnreachable(node.state),
      tone: 'warn',
      shape: 'half',
      why: wording.whyUnreachable,
    };
  if (node.phase === null) return { word: wording.waiting, why: wording.whyWaiting };
  if (node.phase === 'failed') return { word: wording.failed, why: node.error ?? wording.whyFailed };
  if (refused > 0) return { word: wording.refused, why: wording.whyRefused(refused, total) };
  if (node.policy_error) return { word: wording.refused, why: wording.whyPoliciesRefused(node.policy_error) };
  if (node.phase === 'stopped')
    return node.run_state === 'stopped'
      ? { word: wording.stopped, why: wording.whyStopped }
      : { word: wording.stopped, tone: 'bad', shape: 'square', why: wording.whyStoppedThough };
  if ((node.state === 'failed' || node.state === 'degraded') && held === 0)
    return { ...lookOf(node.state), why: node.reasons[0]?.message ?? wording.whyWithErrors };
  if (isBehind(node) || node.rollout?.state === 'in_progress')
    return {
      word: total > 0 && live < total ? wording.rollingOutOf(live, total) : wording.rollingOut,
      tone: 'busy',
      shape: 'arc',
      why: isBehind(node)
        ? wording.whyGenerationBehind(node.generation, node.applied_generation)
        : wording.whyRollingOut,
    };
  if (held > 0) return { word: wording.held, why: wording.whyHeld(held, total) };
  if (node.phase === 'preparing') return { word: wording.preparing, why: wording.whyPreparing };
  if (node.phase === 'removed') return { word: wording.removed, why: wording.whyRemoved };
  return { word: wording.running, why: wording.whyRunning(total) };
}

const TONES: Readonly<Record<string, number>> = {
  Failed: 0,
  Refused: 0,
  Held: 2,
  Waiting: 3,
  Preparing: 3,
};

/** Sorts nodes with problems first, then those with changes in progress, then by name. */
export function sortNodes(nodes: readonly ServiceNode[]): ServiceNode[] {
  const rank = (node: ServiceNode) => {
    const { word, tone } = deriveNodeState(node);
    if (tone === 'bad') return 0;
    if (tone === 'warn') return 1;
    return tone === 'busy' ? 3 : (TONES[word] ?? 4);
  };
  return nodes.toSorted(
    (a, b) => rank(a) - rank(b) || a.client_name.localeCompare(b.client_name, undefined, { numeric: true }),
  );
}

/** Whether client, address, version or state contain the text, regardless of case. */
export function fitsNode(node: ServiceNode, text: string): boolean {
  const wanted = text.trim().toLowerCase();
  const words = [node.client_name, ...(node.addresses ?? []), node.envoy_version ?? '', deriveNodeState(node).word];
  return words.some((word) => word.toLowerCase().includes(wanted));
}
