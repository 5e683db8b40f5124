import type { TextEdit } from '../../../yaml/edit-text.ts';
import type { EditPath } from '../../../yaml/places.ts';

interface PlacedList {
  readonly path: EditPath;
  /** Number of items before the edit. */
  readonly count: number;
}

/** Appends an item. The list of the first item is created, at its place in `order`. */
export function addItem({ path, count }: PlacedList, value: unknown, order?: readonly string[]): TextEdit {
  if (count > 0) return { kind: 'set', path: [...path, count], value };
  return { kind: 'set', path, value: [value], ...(order && { order }) };
}

/** Removes an item. The last one leaves an empty list, or none. */
export function removeItem({ path, count }: PlacedList, index: number, last: 'empty' | 'none'): TextEdit {
  if (count > 1) return { kind: 'remove', path: [...path, index] };
  return last === 'empty' ? { kind: 'set', path, value: [] } : { kind: 'remove', path };
}

/** Returns edits that turn one list of words into another. Edits single items if possible, to keep the comments between them. */
export function listEdits(path: EditPath, before: readonly string[], after: readonly string[]): readonly TextEdit[] {
  if (after.length === before.length + 1 && before.every((word, index) => after[index] === word))
    return [addItem({ path, count: before.length }, after.at(-1))];
  const gone = before.findIndex((word, index) => after[index] !== word);
  if (
    gone !== -1 &&
    before.length === after.length + 1 &&
    before.toSpliced(gone, 1).every((word, i) => after[i] === word)
  )
    return [removeItem({ path, count: before.length }, gone, 'empty')];
  return [{ kind: 'set', path, value: after }];
}
