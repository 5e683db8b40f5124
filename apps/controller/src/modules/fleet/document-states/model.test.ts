import type { DocumentState } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { deriveDocumentState, type NodeFacts } from './model.ts';

const node = (state: NodeFacts['state'], connected = true): NodeFacts => ({ state, connected });

it.each<[string, NodeFacts[], boolean, DocumentState]>([
  ['is not deployed without nodes', [], true, 'not_deployed'],
  ['is refused if an error names it', [node('live')], true, 'refused'],
  ['is unreachable if no agent is connected', [node('live', false)], false, 'unreachable'],
  ['is in progress while a connected node is', [node('live'), node('in_progress')], false, 'in_progress'],
  ['is live while a node that is behind is away', [node('live'), node('in_progress', false)], false, 'live'],
  ['is not live if a node failed, even while others serve', [node('live'), node('failed')], false, 'failed'],
  ['is failed rather than in progress', [node('in_progress'), node('failed')], false, 'failed'],
  ['is not judged by a node that failed before it was lost', [node('live'), node('failed', false)], false, 'live'],
  ['is stopped if all of its nodes are', [node('stopped'), node('stopped')], false, 'stopped'],
  ['is live if only some of its nodes are stopped', [node('stopped'), node('live')], false, 'live'],
  ['is live if a node has errors about other documents', [node('degraded')], false, 'live'],
])('a document %s', (_what, nodes, isRefused, state) => {
  expect(deriveDocumentState(nodes, isRefused)).toBe(state);
});
