import { texts } from '../../../texts/index.ts';
import { toKind } from '../resource-kind.ts';
import type { NodeResource, ServiceNode } from '../types.ts';

const text = texts.services.graph.liveState;

/** Of one document over all nodes: the worst of its resources' states there. */
export interface LiveState {
  readonly word: string;
  readonly tone: 'bad' | 'warn' | 'busy' | 'good' | 'quiet';
  readonly shape: 'triangle' | 'half' | 'arc' | 'full' | 'ring';
}

const STATES = {
  refused: { word: text.states.refused, tone: 'bad', shape: 'triangle' },
  held: { word: text.states.held, tone: 'warn', shape: 'half' },
  moving: { word: text.states.rollingOut, tone: 'busy', shape: 'arc' },
  live: { word: text.states.live, tone: 'good', shape: 'full' },
} as const satisfies Record<string, LiveState>;

export const MISSING: LiveState = { word: text.missing.missing, tone: 'bad', shape: 'triangle' };
/** What no node reports by itself: a policy, a filter inside a listener, anything of a service that is not deployed. */
export const NOT_REPORTED: LiveState = { word: text.notReported.notInUse, tone: 'quiet', shape: 'ring' };

const WORST_FIRST = ['refused', 'held', 'moving', 'live'] as const;

/** By `collection/name`. */
export function deriveLiveStates(nodes: readonly ServiceNode[]): ReadonlyMap<string, LiveState> {
  const found = new Map<string, (typeof WORST_FIRST)[number]>();
  for (const node of nodes) {
    if (!node.deployed) continue;
    for (const resource of node.rollout?.resources ?? []) {
      const { collection } = toKind(resource.type);
      if (!collection) continue;
      const key = `${collection}/${resource.name}`;
      const state = simplify(resource.state);
      const before = found.get(key);
      if (before === undefined || WORST_FIRST.indexOf(state) < WORST_FIRST.indexOf(before)) found.set(key, state);
    }
  }
  return new Map([...found].map(([key, state]) => [key, STATES[state]]));
}

function simplify(state: NodeResource['state']): (typeof WORST_FIRST)[number] {
  if (state === 'refused' || state === 'held') return state;
  return state === 'warmed' ? 'live' : 'moving';
}
