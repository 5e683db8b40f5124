import { listNotGenerated } from '../not-generated.ts';
import { toKind } from '../resource-kind.ts';
import type { NodeResource, ServiceDetail } from '../types.ts';
import { texts } from './texts.ts';

const text = texts.liveState;

/** State of one document over all nodes: the worst state of its resources. It describes configuration, not health. */
export interface LiveState {
  readonly word: string;
  readonly tone: 'bad' | 'warn' | 'busy' | 'good' | 'quiet';
  readonly shape: 'triangle' | 'half' | 'arc' | 'full' | 'ring';
  /** Message of the error, if any. */
  readonly why?: string;
}

const STATES = {
  failed: { word: text.states.failed, tone: 'bad', shape: 'triangle' },
  refused: { word: text.states.refused, tone: 'bad', shape: 'triangle' },
  held: { word: text.states.held, tone: 'warn', shape: 'half' },
  moving: { word: text.states.rollingOut, tone: 'busy', shape: 'arc' },
  applied: { word: text.states.applied, tone: 'good', shape: 'full' },
} as const satisfies Record<string, LiveState>;

/** The document waits for something that cannot come because of an error, so it has no spinner. */
export const BLOCKED: LiveState = { word: text.states.blocked, tone: 'warn', shape: 'half', why: text.whyBlocked };

export const MISSING: LiveState = { word: text.missing.missing, tone: 'bad', shape: 'triangle' };
/** Nodes do not report the document: a policy, a filter inside a listener, anything of a service that is not deployed. */
export const NOT_REPORTED: LiveState = { word: text.notReported.notInUse, tone: 'quiet', shape: 'ring' };

const WORST_FIRST = ['failed', 'refused', 'held', 'moving', 'applied'] as const;
type Found = { readonly state: (typeof WORST_FIRST)[number]; readonly why: string | undefined };

/** Returns states by `collection/name`. A document with an active translation error was not generated, so no node reports it. */
export function deriveLiveStates({
  nodes,
  errors,
}: Pick<ServiceDetail, 'nodes' | 'errors'>): ReadonlyMap<string, LiveState> {
  const found = new Map<string, Found>();
  const note = (key: string, one: Found) => {
    const before = found.get(key);
    if (before === undefined || WORST_FIRST.indexOf(one.state) < WORST_FIRST.indexOf(before.state)) found.set(key, one);
  };
  for (const node of nodes) {
    if (!node.deployed) continue;
    for (const resource of node.rollout?.resources ?? []) {
      const { collection } = toKind(resource.type);
      if (collection) note(`${collection}/${resource.name}`, toFound(resource));
    }
  }
  for (const { resource, message } of listNotGenerated(errors)) {
    const { collection } = toKind(resource.type);
    if (collection) note(`${collection}/${resource.name}`, { state: 'failed', why: message });
  }
  return new Map([...found].map(([key, { state, why }]) => [key, { ...STATES[state], ...(why && { why }) }]));
}

function toFound({ state, reason }: NodeResource): Found {
  const why = reason ?? undefined;
  if (state === 'refused' || state === 'held') return { state, why };
  return { state: state === 'warmed' ? 'applied' : 'moving', why };
}
