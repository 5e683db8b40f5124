import type { DataFiles } from './engines/engine-spec.ts';
import type { PolicyFile } from './yaml-source.ts';

/**
 * Where a bundle says, by the name of each policy, how many proxies hold it: `{"edges": {"shop": 3}}`. Whoever makes the
 * bundle writes it; no policy may name it as a file of its own.
 */
export const EDGES_FILE = 'flotilla/edges.json';

/** Proxies by `metadata.name`; a policy that is missing is held by one. */
export type Edges = ReadonlyMap<string, number>;

export const NO_EDGES: Edges = new Map();

const EDGES_MAX = 1_000_000;

/** Undefined where the file is there and says something else. */
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

/** The same edges make the same bytes. */
export function writeEdges(edges: Edges): PolicyFile {
  const sorted = Object.fromEntries([...edges].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { path: EDGES_FILE, content: `${JSON.stringify({ edges: sorted })}\n` };
}
