import type { DocumentState, NodeHealth } from '@flotilla/contract';

export interface NodeFacts {
  readonly connected: boolean;
  readonly state: NodeHealth;
}

/** The state of a document from the deployed nodes of the services that reach it. */
export function deriveDocumentState(nodes: readonly NodeFacts[], isRefused: boolean): DocumentState {
  if (nodes.length === 0) return 'not_deployed';
  if (isRefused) return 'refused';
  const connected = nodes.filter((node) => node.connected);
  if (connected.length === 0) return 'unreachable';
  if (connected.some(({ state }) => state === 'failed')) return 'failed';
  if (connected.some(({ state }) => state === 'in_progress')) return 'in_progress';
  return connected.every(({ state }) => state === 'stopped') ? 'stopped' : 'live';
}
