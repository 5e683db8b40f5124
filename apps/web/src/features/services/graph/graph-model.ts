import type { DependencyGraph, ServiceDetail } from '../types.ts';
import { BLOCKED, deriveLiveStates, type LiveState, MISSING, NOT_REPORTED } from './live-state.ts';

export interface GraphNode {
  /** Has the form `collection/name`. */
  readonly id: string;
  readonly collection: string;
  readonly name: string;
  /** undefined for nodes without a state: the service itself, bootstraps and policies. */
  readonly state: LiveState | undefined;
  readonly isMissing: boolean;
  /** Whether the resource is part of a bootstrap and has no document. */
  readonly isStatic: boolean;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Paths of the reference in the document. */
  readonly paths: readonly string[];
}

export interface GraphModel {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

const STATELESS = new Set(['services', 'bootstrap', 'policies', 'filters', 'extensions']);

/** Builds the graph of what a service uses, with states. Several references between the same two nodes are one edge. */
export function toGraph(
  graph: Pick<DependencyGraph, 'nodes' | 'edges'>,
  detail: Pick<ServiceDetail, 'nodes' | 'errors'>,
): GraphModel {
  const live = deriveLiveStates(detail);
  const blocked = findBlocked(graph, live);
  const nodes = graph.nodes.map((node): GraphNode => {
    const reported = blocked.has(node.id) ? BLOCKED : live.get(node.id);
    return {
      id: node.id,
      collection: node.collection,
      name: node.name,
      isMissing: node.missing,
      isStatic: !node.missing && node.type === null && !STATELESS.has(node.collection),
      state: node.missing ? MISSING : (reported ?? (STATELESS.has(node.collection) ? undefined : NOT_REPORTED)),
    };
  });
  const edges = new Map<string, GraphEdge>();
  for (const { from, to, path } of graph.edges) {
    const key = `${from} ${to}`;
    edges.set(key, { from, to, paths: [...(edges.get(key)?.paths ?? []), path] });
  }
  return { nodes, edges: [...edges.values()] };
}

/** Finds documents that are only used by documents that do not run: Envoy does not request them. */
function findBlocked(
  { nodes, edges }: Pick<DependencyGraph, 'nodes' | 'edges'>,
  live: ReadonlyMap<string, LiveState>,
): ReadonlySet<string> {
  const blocked = new Set<string>();
  const isDown = (id: string) => blocked.has(id) || live.get(id)?.tone === 'bad';
  for (;;) {
    const before = blocked.size;
    for (const { id } of nodes) {
      const state = live.get(id);
      const users = edges.filter(({ to }) => to === id).map(({ from }) => from);
      if ((state === undefined || state.tone === 'busy') && users.length > 0 && users.every(isDown)) blocked.add(id);
    }
    if (blocked.size === before) return blocked;
  }
}
