import dagre from '@dagrejs/dagre';
import type { GraphModel } from './graph-model.ts';

export const BOX_WIDTH_PX = 208;
export const BOX_HEIGHT_PX = 64;

export interface Placed {
  readonly id: string;
  /** Position of the upper left corner, in px. */
  readonly x: number;
  readonly y: number;
}

/** Places used nodes after their users. Deterministic. */
export function placeGraph({ nodes, edges }: GraphModel, direction: 'LR' | 'TB'): Placed[] {
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({ rankdir: direction, nodesep: 18, ranksep: direction === 'LR' ? 64 : 40 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { width: BOX_WIDTH_PX, height: BOX_HEIGHT_PX });
  for (const { from, to } of edges) graph.setEdge(from, to);
  dagre.layout(graph);
  return nodes.map(({ id }) => {
    const { x, y } = graph.node(id) as { x: number; y: number };
    return { id, x: x - BOX_WIDTH_PX / 2, y: y - BOX_HEIGHT_PX / 2 };
  });
}
