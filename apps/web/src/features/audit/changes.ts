import type { Difference } from '../../changes/index.ts';

export interface ToldChanges {
  readonly differences: readonly Difference[];
  /** What else is told, by name; null and text as they are, the rest as JSON. */
  readonly facts: readonly (readonly [name: string, value: unknown])[];
}

/**
 * What an entry says that changed. Its shape depends on the action: a list of differences, pairs of before and after, and
 * plain facts are told apart here; anything else is shown as it is.
 */
export function readChanges(changes: unknown): ToldChanges {
  if (isDifferences(changes)) return { differences: changes, facts: [] };
  if (!isRecord(changes))
    return { differences: [], facts: changes === null || changes === undefined ? [] : [['changes', changes]] };
  const differences: Difference[] = [];
  const facts: (readonly [string, unknown])[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const pair = toPair(value);
    // Said only where some of them are not there.
    if (name === 'total' && isDifferences(changes.diff) && value === changes.diff.length) continue;
    if (name === 'diff' && isDifferences(value)) differences.push(...value);
    // Told so that it can be looked up; it has not changed.
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

/** `{ before, after }`, and nothing else. */
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
