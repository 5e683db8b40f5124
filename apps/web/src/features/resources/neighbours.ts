interface Graph {
  readonly nodes: readonly { id: string; collection: string; name: string; missing: boolean }[];
  readonly edges: readonly { from: string; to: string; path: string }[];
}

/** A document or service one step away, and the fields that refer to it. */
export interface Neighbour {
  readonly id: string;
  readonly collection: string;
  readonly name: string;
  readonly missing: boolean;
  readonly paths: readonly string[];
}

/** Returns the direct neighbours in the graph of a document, by collection and name. */
export function findNeighbours(
  graph: Graph,
  self: { collection: string; name: string },
): { uses: readonly Neighbour[]; usedBy: readonly Neighbour[] } {
  const own = graph.nodes.find(({ collection, name }) => collection === self.collection && name === self.name)?.id;
  const gather = (side: 'from' | 'to', other: 'from' | 'to'): readonly Neighbour[] => {
    const paths = new Map<string, string[]>();
    for (const edge of graph.edges) {
      if (edge[side] !== own || edge[other] === own) continue;
      paths.set(edge[other], [...(paths.get(edge[other]) ?? []), edge.path]);
    }
    return graph.nodes
      .filter(({ id }) => paths.has(id))
      .map((node) => ({ ...node, paths: (paths.get(node.id) ?? []).filter((path) => path !== '') }))
      .sort((a, b) => a.collection.localeCompare(b.collection) || a.name.localeCompare(b.name));
  };
  return { uses: gather('from', 'to'), usedBy: gather('to', 'from') };
}
