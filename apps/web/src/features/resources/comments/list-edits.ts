import type { EditPath, TextEdit } from '../../../yaml/edit-text.ts';
import { asList, asRecord, isSameValue } from '../../../yaml/plain.ts';

/**
 * Returns edits that turn one value into another. undefined if list items moved or were inserted: as edits, other items would get their
 * comments.
 */
export function listEdits(before: unknown, after: unknown, path: EditPath = []): readonly TextEdit[] | undefined {
  if (isSameValue(before, after)) return [];
  const [listBefore, listAfter] = [asList(before), asList(after)];
  if (listBefore && listAfter) return editList(listBefore, listAfter, path);
  const [from, to] = [asRecord(before), asRecord(after)];
  if (!from || !to) return [{ kind: 'set', path, value: after }];
  const edits: TextEdit[] = [];
  for (const name of Object.keys(from))
    if (!Object.hasOwn(to, name)) edits.push({ kind: 'remove', path: [...path, name] });
  const order = Object.keys(to);
  for (const name of order) {
    const inner = [...path, name];
    if (!Object.hasOwn(from, name)) edits.push({ kind: 'set', path: inner, value: to[name], order });
    else {
      const changed = listEdits(from[name], to[name], inner);
      if (!changed) return undefined;
      edits.push(...changed);
    }
  }
  return edits;
}

function editList(
  before: readonly unknown[],
  after: readonly unknown[],
  path: EditPath,
): readonly TextEdit[] | undefined {
  const places = alignItems(before, after);
  const kept = places.flatMap((place) => (place === undefined ? [] : [place]));
  // The kept items must be in order and without insertions in between: new items come last.
  if (kept.some((place, index) => place !== index)) return undefined;
  const edits: TextEdit[] = [];
  for (let index = before.length - 1; index >= 0; index -= 1)
    if (places[index] === undefined) edits.push({ kind: 'remove', path: [...path, index] });
  const remaining = before.filter((_, index) => places[index] !== undefined);
  for (const [index, item] of after.entries()) {
    const inner = [...path, index];
    if (index >= remaining.length) edits.push({ kind: 'set', path: inner, value: item });
    else {
      const changed = listEdits(remaining[index], item, inner);
      if (!changed) return undefined;
      edits.push(...changed);
    }
  }
  return edits;
}

/** Returns the new index of each item: equal items match, the others count as edited, in order. */
export function alignItems(before: readonly unknown[], after: readonly unknown[]): (number | undefined)[] {
  const places: (number | undefined)[] = before.map(() => undefined);
  const free = new Set(after.keys());
  const take = (from: number, to: number) => {
    places[from] = to;
    free.delete(to);
  };
  for (const [index, item] of before.entries())
    if (index < after.length && isSameValue(item, after[index])) take(index, index);
  for (const [index, item] of before.entries()) {
    if (places[index] !== undefined) continue;
    for (const to of free)
      if (isSameValue(item, after[to])) {
        take(index, to);
        break;
      }
  }
  const left = [...before.keys()].filter((index) => places[index] === undefined);
  // With equal counts, the others were edited. Otherwise an item matches the one at its old index.
  if (left.length === free.size) for (const [index, to] of [...free].entries()) take(left[index] ?? 0, to);
  else for (const index of left) if (free.has(index)) take(index, index);
  return places;
}
