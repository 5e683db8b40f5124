import type { DependencyGraph, ServiceDetail } from '../types.ts';
import { deriveLiveStates, type LiveState, MISSING, NOT_REPORTED } from './live-state.ts';

export interface GraphNode {
  /** `collection/name` */
  readonly id: string;
  readonly collection: string;
  readonly name: string;
  /** Undefined where a state says nothing: the service itself, bootstraps and policies. */
  readonly state: LiveState | undefined;
  readonly isMissing: boolean;
  /** Given by a bootstrap, not by a document of its own. */
  readonly isStatic: boolean;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Where in the document the other is named. */
  readonly paths: readonly string[];
}

export interface GraphModel {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

const STATELESS = new Set(['services', 'bootstrap', 'policies', 'filters', 'extensions']);

/** What a service uses, with where it stands; several references between the same two are one line. */
export function toGraph(
  graph: Pick<DependencyGraph, 'nodes' | 'edges'>,
  detail: Pick<ServiceDetail, 'nodes'>,
): GraphModel {
  const live = deriveLiveStates(detail.nodes);
  const nodes = graph.nodes.map((node): GraphNode => {
    const reported = live.get(node.id);
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
