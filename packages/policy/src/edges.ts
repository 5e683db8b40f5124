import type { DataFiles } from './engines/engine-spec.ts';
import type { PolicyFile } from './yaml-source.ts';

/**
 * The file in a bundle with the number of proxies that have each policy: `{"edges": {"shop": 3}}`. The creator of the
 * bundle writes it; policies must not refer to it.
 */
export const EDGES_FILE = 'flotilla/edges.json';

/** Number of proxies by `metadata.name`. Default: 1. */
export type Edges = ReadonlyMap<string, number>;

export const NO_EDGES: Edges = new Map();

const EDGES_MAX = 1_000_000;

/** Undefined if the file exists but is malformed. */
export function readEdges(files: DataFiles): Edges | undefined {
  const bytes = files.get(EDGES_FILE);
  if (bytes === undefined) return NO_EDGES;
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const written = typeof value === 'object' && value !== null && 'edges' in value ? value.edges : undefined;
    if (typeof written !== 'object' || written === null || Array.isArray(written)) return undefined;
    const edges = new Map<string, number>();
    for (const [name, count] of Object.entries(written)) {
      if (typeof count !== 'number' || !Number.isInteger(count) || count < 1 || count > EDGES_MAX) return undefined;
      edges.set(name, count);
    }
    return edges;
  } catch {
    return undefined;
  }
}

/** Deterministic: the same edges give the same bytes. */
export function writeEdges(edges: Edges): PolicyFile {
  const sorted = Object.fromEntries([...edges].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { path: EDGES_FILE, content: `${JSON.stringify({ edges: sorted })}\n` };
}
