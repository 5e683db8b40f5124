/** A stored operation, as far as a change of rules concerns it. */
export interface StoredOperation {
  readonly method: string;
  readonly host: string;
  readonly normalizedPath: string;
}

/** One request that was recorded, with its path before normalization. */
export interface Recorded {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  readonly count: number;
}

export type Rename =
  | { readonly kind: 'move'; readonly from: StoredOperation; readonly to: StoredOperation }
  /** Only recorded requests say which part goes where. A part without them stays. */
  | {
      readonly kind: 'split';
      readonly from: StoredOperation;
      readonly to: readonly { readonly operation: StoredOperation; readonly count: number }[];
    };

export interface RewritePlan {
  readonly renames: readonly Rename[];
  /** Operations of which two or more become one. */
  readonly merged: readonly StoredOperation[];
  readonly unchanged: number;
}

type Identify = (request: Omit<Recorded, 'count'>) => StoredOperation;

/**
 * Lists the changes of stored data if requests are named by `after` instead of `before`. Recorded requests decide where a stored operation goes; one without
 * any is named again by its own template, whose placeholders are values that no detector changes. Nothing is written: a job may run the plan, or a
 * preview may show it.
 */
export function planRewrite(
  stored: readonly StoredOperation[],
  recorded: readonly Recorded[],
  { before, after }: { before: Identify; after: Identify },
): RewritePlan {
  const targets = new Map<string, Map<string, { operation: StoredOperation; count: number }>>();
  for (const request of recorded) {
    const from = keyOf(before(request));
    const operation = after(request);
    const byTarget = targets.get(from) ?? new Map<string, { operation: StoredOperation; count: number }>();
    targets.set(from, byTarget);
    const known = byTarget.get(keyOf(operation));
    byTarget.set(keyOf(operation), { operation, count: (known?.count ?? 0) + request.count });
  }
  const renames: Rename[] = [];
  let unchanged = 0;
  const arrivals = new Map<string, { operation: StoredOperation; sources: number }>();
  for (const operation of stored) {
    const known = [...(targets.get(keyOf(operation))?.values() ?? [])];
    const to =
      known.length > 0 ? known : [{ operation: after({ ...operation, path: operation.normalizedPath }), count: 0 }];
    for (const { operation: target } of to) {
      const arrival = arrivals.get(keyOf(target)) ?? { operation: target, sources: 0 };
      arrivals.set(keyOf(target), { operation: target, sources: arrival.sources + 1 });
    }
    const rename = renameOf(operation, to);
    if (rename === undefined) unchanged += 1;
    else renames.push(rename);
  }
  return {
    renames,
    merged: [...arrivals.values()].filter(({ sources }) => sources > 1).map(({ operation }) => operation),
    unchanged,
  };
}

function renameOf(
  from: StoredOperation,
  to: readonly { readonly operation: StoredOperation; readonly count: number }[],
): Rename | undefined {
  if (to.length > 1) return { kind: 'split', from, to: to.toSorted((a, b) => b.count - a.count) };
  const [only] = to;
  return only === undefined || keyOf(only.operation) === keyOf(from)
    ? undefined
    : { kind: 'move', from, to: only.operation };
}

function keyOf({ method, host, normalizedPath }: StoredOperation): string {
  return `${method} ${host} ${normalizedPath}`;
}
