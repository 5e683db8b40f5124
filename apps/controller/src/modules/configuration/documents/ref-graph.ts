/** Maximum length of a chain of `$ref`s. Envoy's own extensions nest three or four deep. */
export const REF_DEPTH_MAX = 16;
/** Maximum number of messages in an expanded document, counting each occurrence. */
export const REF_EXPANSIONS_MAX = 2000;

export type RefProblem =
  | { readonly kind: 'cycle'; readonly trail: readonly string[] }
  | { readonly kind: 'depth'; readonly key: string }
  | { readonly kind: 'size'; readonly key: string };

interface Weight {
  readonly depth: number;
  readonly expansions: number;
}

/**
 * Walks `$ref`s from `starts` and finds cycles, and expansions that are too deep or too large (sixteen small documents
 * that each refer to the next one ten times would expand enormously).
 */
export function findRefProblem(
  graph: ReadonlyMap<string, readonly string[]>,
  starts: Iterable<string>,
): RefProblem | undefined {
  const weights = new Map<string, Weight>();
  const open: string[] = [];
  let problem: RefProblem | undefined;

  const weigh = (key: string): Weight => {
    const known = weights.get(key);
    if (known) return known;
    if (open.includes(key)) {
      problem ??= { kind: 'cycle', trail: [...open.slice(open.indexOf(key)), key] };
      return { depth: 0, expansions: 0 };
    }
    if (open.length > REF_DEPTH_MAX) {
      problem ??= { kind: 'depth', key: open[0] ?? key };
      return { depth: 0, expansions: 0 };
    }
    open.push(key);
    let depth = 0;
    let expansions = 0;
    for (const target of graph.get(key) ?? []) {
      if (problem) break;
      const weight = weigh(target);
      depth = Math.max(depth, weight.depth + 1);
      expansions += weight.expansions + 1;
    }
    open.pop();
    if (depth > REF_DEPTH_MAX) problem ??= { kind: 'depth', key };
    if (expansions > REF_EXPANSIONS_MAX) problem ??= { kind: 'size', key };
    const weight = { depth, expansions };
    weights.set(key, weight);
    return weight;
  };
  for (const key of starts) weigh(key);
  return problem;
}
