import { formatPath, type Path, type Step } from '../document/path.ts';
import { getOwn, isEqual, isRecord, type Json, type JsonRecord, setOwn } from './json.ts';

/** A place that both sides changed differently. undefined: missing on that side. */
export interface MergeConflict {
  /** Path in the merged document. */
  readonly steps: Path;
  readonly path: string;
  readonly base: Json | undefined;
  readonly mine: Json | undefined;
  readonly theirs: Json | undefined;
}

export interface MergeOutcome {
  /** The document with the changes of both sides, before any choice: see `resolveConflicts`. undefined: the document was removed. */
  readonly merged: Json | undefined;
  /** In the order of the merged document. */
  readonly conflicts: readonly MergeConflict[];
}

export type Side = 'base' | 'mine' | 'theirs';

/**
 * Merges two versions of one document. Applies changes of one side, and equal changes of both sides once; all others are conflicts. Objects
 * merge by key. Lists merge item by item if all items of all three have a unique `name`, or else as a whole.
 */
export function mergeDocuments(base: Json | undefined, mine: Json | undefined, theirs: Json | undefined): MergeOutcome {
  const conflicts: MergeConflict[] = [];
  const merged = mergeValue(base, mine, theirs, [], conflicts);
  return { merged, conflicts };
}

function mergeValue(
  base: Json | undefined,
  mine: Json | undefined,
  theirs: Json | undefined,
  path: Path,
  conflicts: MergeConflict[],
): Json | undefined {
  if (isEqual(mine, theirs) || isEqual(base, theirs)) return mine;
  if (isEqual(base, mine)) return theirs;
  if (isRecord(mine) && isRecord(theirs) && (isRecord(base) || base === undefined))
    return mergeRecords(base ?? {}, mine, theirs, path, conflicts);
  const lists = [base ?? [], mine, theirs].map(namesOf);
  const [before, ours, others] = lists;
  if (before && ours && others && Array.isArray(mine) && Array.isArray(theirs)) {
    const named = mergeNamed(before, ours, others, path, conflicts);
    if (named) return named;
  }
  conflicts.push({ steps: path, path: formatPath(path), base, mine, theirs });
  return mine;
}

function mergeRecords(
  base: JsonRecord,
  mine: JsonRecord,
  theirs: JsonRecord,
  path: Path,
  conflicts: MergeConflict[],
): Json {
  const merged: JsonRecord = {};
  // Keeps my order, and inserts their additions after the keys that they followed.
  for (const key of mergeKeys(Object.keys(mine), Object.keys(theirs))) {
    const value = mergeValue(getOwn(base, key), getOwn(mine, key), getOwn(theirs, key), [...path, key], conflicts);
    if (value !== undefined) setOwn(merged, key, value);
  }
  return merged;
}

/** Maps items by name, or undefined unless the value is a list of items with unique names. */
function namesOf(value: Json | undefined): Map<string, Json> | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = new Map<string, Json>();
  for (const item of value) {
    const name = isRecord(item) ? getOwn(item, 'name') : undefined;
    if (typeof name !== 'string' || items.has(name)) return undefined;
    items.set(name, item);
  }
  return items;
}

/** Returns undefined if both sides reordered the items: then the whole list is a conflict. */
function mergeNamed(
  base: ReadonlyMap<string, Json>,
  mine: ReadonlyMap<string, Json>,
  theirs: ReadonlyMap<string, Json>,
  path: Path,
  conflicts: MergeConflict[],
): Json | undefined {
  const order = orderOf(base, mine, theirs);
  if (!order) return undefined;
  const merged: Json[] = [];
  for (const name of order) {
    const found: MergeConflict[] = [];
    const value = mergeValue(base.get(name), mine.get(name), theirs.get(name), [...path, merged.length], found);
    // One side changed an item that the other removed: it keeps its position until the user chooses.
    const kept = value ?? (found.length > 0 ? theirs.get(name) : undefined);
    conflicts.push(...found);
    if (kept !== undefined) merged.push(kept);
  }
  return merged;
}

/** Merges the order of names. Symmetric. Returns undefined if both sides reordered their common items. */
function orderOf(
  base: ReadonlyMap<string, Json>,
  mine: ReadonlyMap<string, Json>,
  theirs: ReadonlyMap<string, Json>,
): string[] | undefined {
  const [ours, others] = [
    [...mine.keys()].filter((name) => theirs.has(name)),
    [...theirs.keys()].filter((name) => mine.has(name)),
  ];
  const isMoved = (names: readonly string[]) => {
    const known = names.filter((name) => base.has(name));
    return !isEqual(
      known,
      [...base.keys()].filter((name) => known.includes(name)),
    );
  };
  if (isEqual(ours, others)) return fillIn(ours, mine, theirs);
  if (isMoved(ours) === isMoved(others)) return undefined;
  return fillIn(isMoved(ours) ? ours : others, mine, theirs);
}

/**
 * Inserts additions of one side after their neighbour on that side. If both sides add a group at the same position, the one with the
 * smaller name comes first.
 */
function fillIn(
  order: readonly string[],
  mine: ReadonlyMap<string, Json>,
  theirs: ReadonlyMap<string, Json>,
): string[] {
  const groups = [mine, theirs].map((side) => followers([...side.keys()], new Set(order)));
  return [undefined, ...order].flatMap((anchor) => {
    const behind = groups.map((group) => group.get(anchor) ?? []).toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
    return anchor === undefined ? behind.flat() : [anchor, ...behind.flat()];
  });
}

function followers(names: readonly string[], anchors: ReadonlySet<string>): Map<string | undefined, string[]> {
  const groups = new Map<string | undefined, string[]>();
  let anchor: string | undefined;
  for (const name of names) {
    if (anchors.has(name)) anchor = name;
    else groups.set(anchor, [...(groups.get(anchor) ?? []), name]);
  }
  return groups;
}

/** Returns all of `first` in its order, and inserts additions of `second` after their neighbour there. */
function mergeKeys(first: readonly string[], second: readonly string[]): string[] {
  const following = followers(second, new Set(first));
  return [...(following.get(undefined) ?? []), ...first.flatMap((name) => [name, ...(following.get(name) ?? [])])];
}

/** Returns the merged document with the chosen side at each resolved conflict. */
export function resolveConflicts(outcome: MergeOutcome, choices: ReadonlyMap<string, Side>): Json | undefined {
  let { merged } = outcome;
  // Backwards: removing a list item must not shift those that follow.
  for (const conflict of outcome.conflicts.toReversed()) {
    const side = choices.get(conflict.path) ?? 'mine';
    merged = replaceAt(merged, conflict.steps, conflict[side]);
  }
  return merged;
}

function replaceAt(value: Json | undefined, path: readonly Step[], replacement: Json | undefined): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) return replacement;
  if (typeof step === 'number' && Array.isArray(value)) {
    const item = replaceAt(value[step], rest, replacement);
    return item === undefined ? value.toSpliced(step, 1) : value.with(step, item);
  }
  if (typeof step !== 'string' || !isRecord(value)) return value;
  const inner = replaceAt(getOwn(value, step), rest, replacement);
  const copy: JsonRecord = {};
  for (const [key, each] of Object.entries(value)) {
    if (key !== step) setOwn(copy, key, each);
    else if (inner !== undefined) setOwn(copy, key, inner);
  }
  if (inner !== undefined && !Object.hasOwn(copy, step)) setOwn(copy, step, inner);
  return copy;
}
