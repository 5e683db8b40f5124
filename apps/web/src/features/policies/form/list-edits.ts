import type { TextEdit } from '../../../yaml/edit-text.ts';
import type { EditPath } from '../../../yaml/places.ts';

/** Returns edits that turn one list of words into another. Edits single items if possible, to keep the comments between them. */
export function listEdits(path: EditPath, before: readonly string[], after: readonly string[]): readonly TextEdit[] {
  if (after.length === before.length + 1 && before.every((word, index) => after[index] === word))
    return before.length === 0
      ? [{ kind: 'set', path, value: after }]
      : [{ kind: 'set', path: [...path, before.length], value: after.at(-1) }];
  const gone = before.findIndex((word, index) => after[index] !== word);
  if (
    gone !== -1 &&
    before.length === after.length + 1 &&
    before.toSpliced(gone, 1).every((word, i) => after[i] === word)
  )
    return after.length === 0 ? [{ kind: 'set', path, value: [] }] : [{ kind: 'remove', path: [...path, gone] }];
  return [{ kind: 'set', path, value: after }];
}
