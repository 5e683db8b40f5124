import type { Difference } from '../../changes/index.ts';

export interface AuditChanges {
  readonly differences: readonly Difference[];
  /** Other members by name. null and strings are unchanged, the rest is JSON. */
  readonly facts: readonly (readonly [name: string, value: unknown])[];
}

/**
 * Parses the changes of an entry. Their shape depends on the action: a list of differences, pairs of old and new values,
 * or plain facts; anything else is shown unchanged.
 */
export function readChanges(changes: unknown): AuditChanges {
  if (isDifferences(changes)) return { differences: changes, facts: [] };
  if (!isRecord(changes))
    return { differences: [], facts: changes === null || changes === undefined ? [] : [['changes', changes]] };
  const differences: Difference[] = [];
  const facts: (readonly [string, unknown])[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const pair = toPair(value);
    // The total is shown only if some differences are missing.
    if (name === 'total' && isDifferences(changes.diff) && value === changes.diff.length) continue;
    if (name === 'diff' && isDifferences(value)) differences.push(...value);
    // The value was recorded for reference and has not changed.
    else if (pair && pair.before === pair.after) facts.push([name, pair.after]);
    else if (pair) differences.push(toDifference(name, pair));
    else facts.push([name, value]);
  }
  return { differences, facts };
}

function isDifferences(value: unknown): value is readonly Difference[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every(
      (one) =>
        isRecord(one) && typeof one.path === 'string' && ['added', 'removed', 'changed'].includes(String(one.change)),
    )
  );
}

interface Pair {
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns undefined unless the value is exactly `{ before, after }`. */
function toPair(value: unknown): Pair | undefined {
  if (!isRecord(value)) return undefined;
  const names = Object.keys(value);
  const isPair = names.length > 0 && names.every((name) => name === 'before' || name === 'after');
  return isPair ? { before: value.before, after: value.after } : undefined;
}

function toDifference(path: string, { before, after }: Pair): Difference {
  if (before === null || before === undefined) return { path, change: 'added', after };
  if (after === null || after === undefined) return { path, change: 'removed', before };
  return { path, change: 'changed', before, after };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
